"""The tests of the benchmarks need asv, which is in the group `bench`; without it they are not
collected.
"""

from importlib.util import find_spec

collect_ignore_glob = ["test_*.py"] if find_spec("asv") is None else []
