"""Every public noise primitive, tool and model of a library, audited for its documented neighbours: the gallery shows
what is known, a sweep looks for what is not. `python -m gallery.sweep LIBRARY` prints the table.
"""
