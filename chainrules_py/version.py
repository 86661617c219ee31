"""The version of the distribution, which all of its packages have; `pyproject.toml` reads it here."""

# Written down, not asked of the installed metadata: importlib.metadata adds 23 to 44 ms to an
# import, and finds nothing where the sources are on the path and not installed.
__version__ = "0.3.0"
