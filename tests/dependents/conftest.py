"""The programs of `make test-dependents` are not tests of pytest's."""

collect_ignore_glob = ["counting.py", "run.py", "suites.py"]
