"""Counts in, certified numbers out: exact tests and an e-process. No sampling, no input or output."""
