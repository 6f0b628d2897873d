"""The ways in: the command line, the pytest plugin, and what both need to find code and ask for audits."""
