"""The reverse engine that the guide prints is complete: its block alone, in a file, passes the
check of engines.
"""

import re
import subprocess
import sys
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "engine_author.md"
CERTIFY = """
from chainrules_py.testing import check_engine

primals = [np.arctan2, np.where, np.mean, np.outer, np.remainder, np.concatenate, np.split, np.linalg.eigh, np.linalg.solve]
print(check_engine(engine, primals, dtypes=["float64", "complex128"]))
"""


def test_the_block_alone_is_an_engine(tmp_path: Path) -> None:
    blocks = re.findall(
        r"^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    (code,) = [block for block in blocks if "class Engine(HasReverseMode)" in block]
    (tmp_path / "engine.py").write_text(code + CERTIFY, encoding="utf-8")
    command = [sys.executable, "-W", "error", str(tmp_path / "engine.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout) > 80
