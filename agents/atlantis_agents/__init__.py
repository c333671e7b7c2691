"""Agents: random, heuristic, trained. All follow the Agent protocol of ``atlantis_envs.seats.agents``."""
