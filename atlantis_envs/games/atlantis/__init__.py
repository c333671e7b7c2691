"""Atlantis: the rules, the data and the declaration."""
