"""Where PyTorch is not installed, there is nothing to test here."""

from importlib.util import find_spec

if find_spec("torch") is None:
    collect_ignore_glob = ["*"]
else:
    import quiet_torch as quiet_torch
