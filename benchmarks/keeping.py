"""`python -m benchmarks.keeping [COMMIT...]`: measure all libraries side by side, and keep the figures
in the repository.

Without a commit it measures the code that is here, for the version that it has: `make bench` does so,
and what docs/performance.md and the picture show is what was kept. So a release continues the
history by `make bench`. With commits it measures today's programs on their code, all on one machine.

What is kept are times in units of the tape's in processes that took turns: they hardly depend on the
machine, as times do.
"""

import json
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.contenders.known import KNOWN
from benchmarks.contenders.turns import Figures, measured, versions
from benchmarks.surroundings import ROOT, git, tree_of
from chainrules_py.version import __version__

KEPT = ROOT / "benchmarks" / "results"
CURRENT = KEPT / f"{__version__}.json"


def keep(
    commit: str, path: Path, tree: Path = ROOT, programs: Sequence[str] = tuple(KNOWN)
) -> None:
    """Measure the code in a folder, which is a commit's, and keep the figures in a file."""
    data = {
        "commit": commit,
        "date": git("show", "-s", "--format=%cI", commit),
        "versions": versions(),
        "programs": rounded(measured(programs, tree)),
    }
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(data, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def rounded(found: dict[str, Figures]) -> dict[str, Any]:
    """The figures as people read them, to three digits."""
    return {
        program: {
            library: {
                name: float(f"{value:.3g}") if isinstance(value, float) else value
                for name, value in about.items()
            }
            for library, about in libraries.items()
        }
        for program, libraries in found.items()
    }


def all_kept(folder: Path = KEPT) -> list[tuple[str, dict[str, Any]]]:
    """Every name, of a version or a commit, with its figures, the oldest first."""
    found = [
        (path.stem, json.loads(path.read_text(encoding="utf-8"))) for path in folder.glob("*.json")
    ]
    return sorted(found, key=lambda each: datetime.fromisoformat(each[1]["date"]))


def newest() -> dict[str, Any]:
    """What is kept of the newest version."""
    return all_kept()[-1][1]


def main(commits: Sequence[str]) -> None:
    """Keep the figures of the code that is here, or of some commits."""
    if not commits:
        keep(git("rev-parse", "HEAD"), CURRENT)
    for commit in (git("rev-parse", name) for name in commits):
        with tree_of(commit) as tree:
            keep(commit, KEPT / f"{commit[:10]}.json", tree)


if __name__ == "__main__":
    main(sys.argv[1:])
