"""A position becomes something to look at. Each game draws itself in its own ``drawing`` module."""
