"""Training, self-play, evaluation and ratings for the games of atlantis_envs."""
