"""Shared objects made of C, kept in a cache under the hash of all that went into them."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent
NATIVE = PACKAGE / "native"
FLAGS = (
    "-std=gnu11",
    "-w",
    "-fPIC",
    "-shared",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-fno-math-errno",
)


def compiler() -> str | None:
    """The C compiler; None where there is none."""
    return shutil.which("gcc") or shutil.which("cc")


@cache
def cache_folder() -> Path:
    """Where what was built is kept: beside CuPy's own cache."""
    cupy_cache = os.environ.get("CUPY_CACHE_DIR")
    folder = (
        Path(cupy_cache) / "emulated" if cupy_cache else Path.home() / ".cache" / "emulated_cuda"
    )
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def fingerprint(*patterns: str) -> str:
    """Of this file and of others of this package."""
    files = {path for pattern in patterns for path in PACKAGE.glob(pattern)} | {Path(__file__)}
    return hashlib.sha256(b"".join(path.read_bytes() for path in sorted(files))).hexdigest()


def cached(content: str, *patterns: str) -> Path:
    """The shared object that is made of some content by these files; it need not be there yet."""
    return cache_folder() / (
        hashlib.sha256((fingerprint(*patterns) + content).encode()).hexdigest()[:40] + ".so"
    )


def build(to: Path, sources: Iterable[Path], *flags: str) -> Path:
    """Compile; another process may do the same at this moment, so the result is moved into its
    place.
    """
    unfinished = to.with_suffix(f".{os.getpid()}")
    command = [
        str(compiler()),
        *FLAGS,
        "-I",
        str(NATIVE),
        *map(str, sources),
        "-o",
        str(unfinished),
        *flags,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr[:4000]}")
    unfinished.replace(to)
    return to
