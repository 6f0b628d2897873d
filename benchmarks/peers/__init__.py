"""dp-audit beside the auditors on PyPI, on the same scalar cases."""
