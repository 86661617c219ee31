"""Where PyTensor is not installed, there is nothing to test here."""

from importlib.util import find_spec

if find_spec("pytensor") is None:
    collect_ignore_glob = ["*"]
