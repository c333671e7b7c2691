"""Learning by self-play, in runs that can be stopped and resumed."""
