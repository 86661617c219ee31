"""Nothing here is a test of pytest's: `make test-packages` runs it."""

collect_ignore_glob = ["*.py"]
