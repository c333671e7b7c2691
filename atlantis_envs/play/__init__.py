"""People at a table, and games as files."""
