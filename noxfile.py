#!/usr/bin/env python
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""What the Makefile runs, for systems without `make`: ``nox -l`` lists the sessions, ``nox -s lint``
runs one, and ``nox -s tests -- -k sin`` hands arguments over. Each has an environment of its own.
"""

import shutil

import nox

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "virtualenv"  # whose pip the tests of the wheel call

SAMPLES = ("--no-deps", "-e", "tests/samples")


@nox.session(default=False)
def demo(session: nox.Session) -> None:
    """A gradient, a Hessian, a graph, and rules that can be read."""
    session.install("-e", ".[tape]")
    session.run("python", "examples/demo.py")


@nox.session
def tests(session: nox.Session) -> None:
    """The tests; those of libraries that are not installed skip."""
    session.install("-e", ".", "--group", "test")
    session.install(*SAMPLES)
    session.install("-e", "tests/emulated_cuda")
    session.run("pytest", "-n", "auto", "--dist", "worksteal", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Style, and which package may import which."""
    session.install("-e", ".", "--group", "dev")
    session.install(*SAMPLES)
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("lint-imports")


@nox.session
def types(session: nox.Session) -> None:
    """The annotations, by two type checkers."""
    session.install("-e", ".", "--group", "dev", "--group", "test")
    session.run("mypy")
    session.run("pyright", "--pythonpath", shutil.which("python", path=session.bin))


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """The documentation as a site, docs/_build/html/index.html."""
    session.install("-e", ".", "--group", "docs")
    session.install(*SAMPLES)
    command = "-W", "--keep-going", "-n", "-q", "docs", "docs/_build/html"
    session.run("sphinx-build", *command)


@nox.session(default=False)
def release_check(session: nox.Session) -> None:
    """The wheels and source distributions in dist/, built and checked."""
    session.install("-e", ".", "--group", "release", "--group", "test")
    session.install(*SAMPLES)
    shutil.rmtree("dist", ignore_errors=True)
    session.run("python", "-m", "build", "--no-isolation")
    session.run("python", "-m", "build", "--no-isolation", "--outdir", "dist", "tests/samples")
    session.run(
        "python", "-m", "build", "--no-isolation", "--outdir", "dist", "tests/emulated_cuda"
    )
    session.run("python", "-m", "twine", "check", "--strict", "dist/*")
    packaging = "tests/packaging/test_distribution.py", "tests/packaging/test_release.py"
    session.run("pytest", *packaging)


if __name__ == "__main__":
    nox.main()
