"""The command line ``atlantis``; loaded before NumPy, it keeps its matrix products on one thread unless told otherwise.

Policies are small and asked in small batches: with several threads a product waits for them longer than it computes,
many times longer where they share a core. Whoever wants more sets the variables.
"""

from __future__ import annotations

import os

from atlantis_training import THREAD_VARIABLES

for _name in THREAD_VARIABLES:
    os.environ.setdefault(_name, "1")
