"""Learners to read and to copy: one file each, nothing of this project's own training in them."""
