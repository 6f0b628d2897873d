"""Exact values beyond one mechanism, one concept a file."""
