"""Agents: random, heuristic, trained. All speak the Agent protocol of ``atlantis_envs.engine.agents``."""
