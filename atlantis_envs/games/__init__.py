"""The games. Each folder holds the same small modules; ``game.py`` is the declaration the engine reads."""
