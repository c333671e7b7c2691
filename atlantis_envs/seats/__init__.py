"""One learner at a table: agents, opponents, and the games seen from one seat."""
