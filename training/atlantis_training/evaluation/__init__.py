"""Measuring: matches, win shares, the order of play, levels of difficulty."""
