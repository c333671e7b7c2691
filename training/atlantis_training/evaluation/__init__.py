"""Measuring: matches, win shares, turn order, levels of difficulty."""
