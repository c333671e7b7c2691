"""Compiled functions: how they are marked, cached and shipped; knows numba, knows no game."""
