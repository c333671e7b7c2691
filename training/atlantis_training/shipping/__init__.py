"""Packing trained policies and measuring what comes with the library; writes atlantis_agents/shipped."""
