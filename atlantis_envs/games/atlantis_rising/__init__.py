"""Atlantis Rising: the rules, the data and the declaration."""
