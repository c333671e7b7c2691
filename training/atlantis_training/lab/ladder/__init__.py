"""Every agent against every other one: who plays whom, what was played, and the table that comes of it."""
