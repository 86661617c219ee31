"""`python -m benchmarks.dashboard [count]`: publish the HTML, with so many of the last commits
measured.

`history.html` stands by itself, and shows what is kept in the repository before anything is
measured. The pages of asv, which show more of what was measured here, load their
scripts from the network and want a server.
"""

import shlex
import sys
from pathlib import Path

from benchmarks import history
from benchmarks.figures import RESULTS, about_benchmarks, history_of_asv, recorded
from benchmarks.quick import asv, measure
from benchmarks.surroundings import ROOT, git, tree_of


def last_commits(count: int) -> list[str]:
    """The newest commits of the branch that is checked out, newest first."""
    return git("rev-list", "--first-parent", "-n", str(count), "HEAD").splitlines()


def measure_missing(count: int) -> None:
    """Run today's benchmarks on the code of each of the last commits that has no figures."""
    for commit in last_commits(count):
        if not any(recorded(commit)):
            with tree_of(commit) as tree:
                if measure(commit, tree):
                    print(
                        f"{commit[:10]}: some benchmarks have no figures; its code is older than"
                        " they are, or broken"
                    )


def write(folder: Path) -> Path:
    """Write the page of the history into a folder."""
    path = folder / "history.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = {
        "What is kept in the repository": history.kept(),
        "Measured on this machine": history_of_asv(),
    }
    path.write_text(history.page(parts, about_benchmarks()), encoding="utf-8")
    return path


def say_where(page: Path) -> None:
    """Print where the page is, and last the command that shows those of asv, where there is
    anything in them.
    """
    print(f"\nthe history of each benchmark, for any browser: {page.as_uri()}")
    if RESULTS.exists():
        print("asv's own pages, which load scripts from the network, by this command:")
        print(
            shlex.join(
                [sys.executable, "-m", "asv", "preview", "--config", str(ROOT / "asv.conf.json")]
            )
        )


def main() -> int:
    """Measure what is missing, publish, say where."""
    measure_missing(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    status = asv("publish") if RESULTS.exists() else 0
    say_where(write(ROOT / ".asv" / "html"))
    return status


if __name__ == "__main__":
    sys.exit(main())
