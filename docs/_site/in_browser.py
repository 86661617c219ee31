"""The wheel of this checkout, for the page whose program runs in the reader's browser."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

ROOT = Path(__file__).parents[2]


def build_wheel(app: Sphinx, exception: Exception | None) -> None:
    """Build the wheel beside the script that installs it."""
    if exception is None and app.builder.name == "html":
        folder = Path(app.outdir) / "_static"
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx when to build it."""
    app.connect("build-finished", build_wheel)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
