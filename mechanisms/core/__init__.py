"""The frame of every mechanism: claims, neighbours, the base class, accounting, the catalogue."""
