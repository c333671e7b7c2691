"""Questions that were asked once, with what answered them: ``python -m benchmarks NAME`` asks them again."""
