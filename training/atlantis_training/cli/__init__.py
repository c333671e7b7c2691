"""The command line ``atlantis``."""
