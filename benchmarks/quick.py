"""`python -m benchmarks.quick`: run every benchmark in its quick form, record it for HEAD, print
and keep the summary.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.figures import ROOT, figures_of
from benchmarks.summary import DOCUMENT, write

# Of what asv times itself, three short samples; the ratios, which repeat as they need, are not
# affected.
QUICK = ("repeat=(1, 3, 0.2)", "rounds=1", "warmup_time=0.05")
# Each figure is read in a process of its own, of which there are a thousand. Forked from one that has
# imported the suites, a process takes 10 ms; as an interpreter that starts anew, 0.4 s. The
# process that is forked has one thread, and imports no engine but ours.
FORKED = ("--launch-method", "forkserver")
# Engines are compared, not schedulers: where both cores are busy, a second thread costs more in
# waiting than it computes.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
}
# Nor what happens to lie at the end of the heap: whether glibc gives memory back after each array,
# and fetches it again page by page, decides between 0.18 and 0.43 ms for the same NumPy program. It
# is told to keep it, for every engine: arrays up to 32 MB, the largest threshold that it accepts.
# (It ignores a larger one, and then fetches each array above 128 kB anew, at ten times the cost.)
KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": "1000000000", "MALLOC_MMAP_THRESHOLD_": "33554432"}

# The suites that take as long as all others together. Each half has one core: what is measured is
# processor time of one thread, and candidates take turns.
COMPARED = r"^(peers|compiled)\."
OTHERS = r"^(?!(peers|compiled)\.)"


def asv(*arguments: str, tree: Path | None = None) -> int:
    """Run asv in this environment; with `tree`, on the code that is there.

    Returns the exit status.
    """
    paths = (
        {}
        if tree is None
        else {
            "ASV_PYTHONPATH": os.pathsep.join(
                (str(tree), str(tree / "backends"), str(tree / "tests/samples"))
            )
        }
    )
    environment = {**os.environ, **ONE_THREAD, **KEEP_MEMORY, **paths}
    return subprocess.run(
        [sys.executable, "-m", "asv", *arguments], cwd=ROOT, env=environment
    ).returncode


def measure_both_halves(commit: str) -> int:
    """Run the quick form of all benchmarks in two processes at once."""
    with ThreadPoolExecutor() as pool:
        # asv keeps one file per machine and commit, so the second half is of a "machine" of its own
        compared = pool.submit(measure, commit, only=COMPARED, machine="compared")
        return measure(commit, only=OTHERS) or compared.result()


def measure(commit: str, tree: Path | None = None, only: str = "", machine: str = "") -> int:
    """Run the quick form and record it for a commit; nonzero where a benchmark failed."""
    named = ["--machine", machine] if machine else []
    asv("machine", "--yes", *named)
    attributes = [word for attribute in QUICK for word in ("--attribute", attribute)]
    chosen = ["--bench", only] if only else []
    return asv(
        "run",
        "--python=same",
        *FORKED,
        "--set-commit-hash",
        commit,
        *named,
        "--show-stderr",
        *attributes,
        *chosen,
        tree=tree,
    )


def git(*arguments: str) -> str:
    """Run git and return its output."""
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def main() -> int:
    """Measure, summarise."""
    head = git("rev-parse", "HEAD")
    only = "".join(sys.argv[1:])
    status = measure(head, only=only) if only else measure_both_halves(head)
    changed = bool(git("status", "--porcelain"))
    print(f"\n{write(figures_of(head), head, changed)}\n\nkept in {DOCUMENT.relative_to(ROOT)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
