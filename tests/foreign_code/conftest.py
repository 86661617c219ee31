"""The programs of `make test-packages`, and the calls that they make, are not tests of pytest's."""

collect_ignore_glob = ["*calls.py", "attempts.py", "outcomes.py", "run*.py", "suites.py"]
