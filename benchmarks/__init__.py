"""Speed, measured: ``python -m benchmarks``."""

import atlantis_training.cli  # noqa: F401  before anything that loads NumPy
