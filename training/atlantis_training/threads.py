"""How many threads the matrix products of NumPy and torch take is said in these variables, before they are loaded."""

THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
