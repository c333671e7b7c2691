"""Search: agents that simulate how games go on, compiled out of a game's kernels and those of its heuristic."""
