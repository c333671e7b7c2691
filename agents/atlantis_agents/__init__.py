"""Agents that play the games of atlantis_envs: one protocol, found by name."""
