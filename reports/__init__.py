"""Turns stored results into things that people read."""
