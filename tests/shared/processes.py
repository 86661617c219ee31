"""Programs that run in a process of their own, as where imports or settings of the process are asked
about.
"""

import os
import subprocess
import sys


def printed(program: str, *arguments: str, **environment: str) -> str:
    """What a Python program prints; where it raises, so does this, with what it says."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
