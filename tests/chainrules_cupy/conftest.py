"""Where CuPy is not installed there are no tests here."""

from importlib.util import find_spec

if find_spec("cupy") is None:
    collect_ignore_glob = ["*"]
