"""Trained policies: read, write and play them with NumPy alone."""
