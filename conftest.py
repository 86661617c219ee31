"""Docstring examples run in every module, except those of a backend whose library is not installed."""

from importlib.util import find_spec

LIBRARY_OF_BACKEND = {"autograd": "autograd", "cupy": "cupy", "jax": "jax", "tape": "optree", "torch": "torch"}

collect_ignore = [f"backends/chainrules_{name}" for name, library in LIBRARY_OF_BACKEND.items() if find_spec(library) is None]
