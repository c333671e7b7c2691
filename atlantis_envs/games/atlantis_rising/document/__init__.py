"""The position as JSON: written, read, and checked."""
