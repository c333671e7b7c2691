"""``python -m atlantis_training.demo``: train, measure, report."""
