"""Speed, measured: ``python -m benchmarks``."""

import atlantis_training.cli.one_thread  # noqa: F401  before anything that loads NumPy
