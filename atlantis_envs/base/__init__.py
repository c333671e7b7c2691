"""Helpers with nothing of ours below them: values from outside, arguments, files."""
