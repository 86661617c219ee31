"""The site is built where optional libraries are not installed: what imports them can be imported
with stand-ins for them.
"""

import subprocess
import sys

import pytest

from source_trees import ADAPTERS, ROOT

SITE = ROOT / "docs" / "_site"
PROGRAM = """
import importlib, sys
sys.path.insert(0, {site!r})
from absent import Finder
for name in [name for name in sys.modules if name.partition(".")[0] in {roots!r}]:
    del sys.modules[name]
sys.meta_path.insert(0, Finder({roots!r}))
for name in {modules!r}:
    module = importlib.import_module(name)
    print(name, sum(1 for part in vars(module).values() if callable(part)))
"""


@pytest.mark.parametrize("name", [*ADAPTERS, "array_api", "cupy"])
def test_an_adapter_is_imported_with_stand_ins(name):
    package, roots = f"chainrules_{name}", [name, "array_api_compat", "cupyx"]
    program = PROGRAM.format(site=str(SITE), roots=roots, modules=[package])
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(package)
