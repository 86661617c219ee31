"""Where benchmarks run: the folder of the repository, and how processes are started that are measured."""

import io
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent

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


def git(*arguments: str) -> str:
    """Run git and return its output."""
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


@contextmanager
def tree_of(commit: str) -> Iterator[Path]:
    """The files of a commit, in a folder of their own."""
    packed = subprocess.run(
        ["git", "archive", commit], cwd=ROOT, capture_output=True, check=True
    ).stdout
    with TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder)
