"""`python -m benchmarks.quick`: run every benchmark in its quick form, record it for HEAD, print
and keep the summary.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import ParamSpec, TypeVar

from benchmarks.figures import figures_of
from benchmarks.keeping import CURRENT, keep
from benchmarks.summary import DOCUMENT, write
from benchmarks.surroundings import KEEP_MEMORY, ONE_THREAD, ROOT, git

P = ParamSpec("P")
T = TypeVar("T")

# Of what asv times itself, three short samples; the ratios, which repeat as they need, are not
# affected.
QUICK = ("repeat=(1, 3, 0.2)", "rounds=1", "warmup_time=0.05")
# Each figure is read in a process of its own, of which there are a thousand. Forked from one that has
# imported the suites, a process takes 10 ms; as an interpreter that starts anew, 0.4 s. The
# process that is forked has one thread, and imports no engine but ours.
FORKED = ("--launch-method", "forkserver")
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


def measure_all(commit: str) -> int:
    """Run everything, in two processes at once: all that compares libraries, and the rest."""
    with ThreadPoolExecutor() as pool:
        others = pool.submit(timed, "the other suites", measure, commit, only=OTHERS)
        timed("libraries side by side", keep, commit, CURRENT)
        # asv keeps one file per machine and commit, so this half is of a "machine" of its own
        compared = timed("peers, compiled", measure, commit, only=COMPARED, machine="compared")
        return compared or others.result()


def timed(what: str, run: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Run something, and print how long it took."""
    begin = perf_counter()
    result = run(*args, **options)
    print(f"{what}: {perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
    return result


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


def main() -> int:
    """Measure, summarise."""
    head, changed = git("rev-parse", "HEAD"), bool(git("status", "--porcelain"))
    only = "".join(sys.argv[1:])
    status = measure(head, only=only) if only else measure_all(head)
    print(f"\n{write(figures_of(head), head, changed)}\n\nkept in {DOCUMENT.relative_to(ROOT)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
