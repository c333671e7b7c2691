"""Training, self-play, evaluation and ratings for the games of atlantis_envs."""

# What flags, processes and library must agree on before anything heavy is loaded.
GAMES_LIMIT = 1_000_000_000  # games of a line-up: their results are kept in memory
LEAST_PRECISION = 0.0001  # a tenth of that many games at the least
# How many threads the matrix products of NumPy and torch take; read when these are loaded.
THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
