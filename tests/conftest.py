"""Imports that must happen once: pytester's in-process runs forget every module that they imported first, and a second
copy of a library beside a cached object of the first one is not the same library."""

import jinja2  # noqa: F401
import matplotlib.figure  # noqa: F401

import reports  # noqa: F401
