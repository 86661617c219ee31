"""Where JAX is not installed, there is nothing to test here."""

from importlib.util import find_spec

if find_spec("jax") is None:
    collect_ignore_glob = ["*"]
