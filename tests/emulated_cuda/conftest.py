"""The package is found from here, and what its modules import may be absent where nothing of it can run."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # last: there are folders of the names of packages

if find_spec("scipy") is None or find_spec("cupy") is None:
    collect_ignore_glob = ["*"]
