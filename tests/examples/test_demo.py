"""The demo's rules agree with the finite differences that it prints next to them."""

import re
import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parents[2] / "examples" / "demo.py"
ROW = re.compile(r"^(d \w+ / d .+?) +(\S+) +(\S+) +(\S+)$", re.MULTILINE)


def test_rules_agree_with_finite_differences() -> None:
    done = subprocess.run([sys.executable, "-W", "error", DEMO], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = ROW.findall(done.stdout)
    assert len(rows) == 11  # m (3), ecc, a (4), and m again forward
    assert [row for row in rows if abs(float(row[1]) - float(row[2])) > 1e-7] == []
