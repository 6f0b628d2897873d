"""The cases: one file each, with what is claimed by whom, the few lines that audit it, and what is expected."""
