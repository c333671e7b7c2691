"""Positions of Atlantis Rising as JSON documents, and what makes one sound."""
