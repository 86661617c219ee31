"""`python -m benchmarks.keeping COMMIT...`: measure ratios on the code of some commits, and keep
them in the repository.

What is kept are ratios to peers that took turns with us in one process: they hardly depend on the
machine, as times do. Even so all commits that are kept are measured on one machine, at one time: to
renew the history, remove the files in `benchmarks/results` and name every commit again.
"""

import json
import os
import shutil
import subprocess
import sys

from benchmarks.dashboard import tree_of
from benchmarks.figures import ROOT
from benchmarks.history import KEPT
from benchmarks.quick import KEEP_MEMORY, ONE_THREAD, git


def keep(commit: str, *chosen: str) -> None:
    """Measure today's programs, or some of them, on the code of a commit, in a process of its own,
    and keep the ratios.
    """
    with tree_of(commit) as tree:
        shutil.rmtree(tree / "benchmarks")  # the programs are today's
        paths = os.pathsep.join(map(str, (tree, tree / "backends", tree / "tests/samples", ROOT)))
        environment = {**os.environ, **ONE_THREAD, **KEEP_MEMORY, "PYTHONPATH": paths}
        command = [sys.executable, "-P", "-m", "benchmarks.ratios", *chosen]
        found = subprocess.run(
            command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True, check=True
        ).stdout
    data = {
        "commit": commit,
        "date": git("show", "-s", "--format=%cI", commit),
        "ratios": json.loads(found),
    }
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{commit[:10]}.json").write_text(f"{json.dumps(data, indent=1)}\n", encoding="utf-8")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        keep(git("rev-parse", argument))
