"""The rules of Atlantis Rising by part of the rulebook, as kernels."""
