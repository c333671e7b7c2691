"""Agents: random, heuristic, trained. All speak the Agent protocol of ``atlantis_envs.seats.agents``."""
