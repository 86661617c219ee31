"""The numeric tests as other machines would run them: other BLAS kernels, no SIMD, other Pythons,
the oldest versions allowed. And one engine without the others: all tests are collected, a part runs.

    make test-elsewhere                        every environment
    make test-elsewhere ARGS=--cheap           those of `.ci/run`, with fewer tests
    make test-elsewhere ARGS=--newest          the newest libraries, under the newest Python that is found
    make test-elsewhere ARGS="Prescott oldest" some environments, by name

One line is printed per environment: passed, failed, or left out with the reason. The output of
pytest is in `.elsewhere/`, beside the environments with packages of their own. The exit status is 1
where something failed.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACE = ROOT / ".elsewhere"
# and what OpenBLAS calls them
KERNELS = {"Prescott": "Katmai", "Haswell": "Haswell", "SkylakeX": "SkylakeX", "Zen": "Zen"}
PYTHONS = ("3.12", "3.13", "3.14")
# Beside what the tests need: libraries whose newest versions leave out older Pythons.
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
ADAPTERS = [name.removesuffix(".*") for name in TOOLS["mypy"]["overrides"][0]["module"]]
SMALL = [name for name in ADAPTERS if name not in ("dask", "torch")]
ENGINES = (*SMALL, "array-api-extra", "array-api-strict", "sparse")
NUMERIC = (
    *("tests/chainrules_py", "tests/chainrules_tape", "tests/chainrules_sparse"),
    *("tests/chainrules_labels", "tests/chainrules_foreign_code", "tests/chainrules_programs"),
    *("tests/numerics", "tests/programs", "tests/in_place"),
)
A_PART = ("--one-in", "40")
# Each engine without the others; of PyTorch the version that has a small build for CPUs.
ALONE = {name: (f"chainrules-py[{name}]",) for name in ADAPTERS}
ALONE |= {
    "torch": ("torch==2.13.0", "array-api-compat>=1.16"),
    "standard": ("--group", "standard"),
}
# What cancels to the last bit depends on the machine in covariances, products and factorisations
# most.
LINALG = "inverses", "matrices", "svd"
CHEAP_TESTS = (
    *(f"tests/chainrules_py/rulesets/linalg/test_{name}.py" for name in LINALG),
    "tests/chainrules_py/rulesets/reductions/test_covariance.py",
    "tests/chainrules_py/rulesets/products/test_products.py",
    "tests/chainrules_py/testing/test_conformance.py",
    "tests/numerics/test_every_rule.py",
    "-k",
    "not every_rule or numpy.linalg or numpy.cov or numpy.corrcoef or numpy.matmul or numpy.vecdot",
)
CHEAP = ("Prescott", "no-simd", "oldest")
# What a new version breaks first: names, bytecode, and what an adapter takes of its library.
NEWEST_TESTS = (
    *("tests/numerics/test_newer_numpy.py", "tests/numerics/scipy/test_names.py"),
    *("tests/libraries/test_names_of_libraries.py", "tests/chainrules_py/introspection"),
    *("tests/chainrules_foreign_code", "tests/chainrules_tape/in_place"),
    *("tests/chainrules_jax/test_calls.py", "tests/chainrules_jax/test_host_calls.py"),
    "tests/chainrules_programs/together/test_compiled_programs.py",
    *(f"tests/chainrules_{name}" for name in SMALL if name != "jax"),
)
# And of everything else a part, another one on each day; all of it has to be imported.
OF_ADAPTERS = [f"tests/chainrules_{name}" for name in ("jax", "array_api", "numpy")]
PART_OF_ALL = (*NUMERIC, *OF_ADAPTERS, "tests/libraries", "tests/engines", *A_PART)

# A product of each kind that a kernel computes; where the processor lacks the instructions, the
# process is killed.
PROBE = """
import numpy as np
for dtype in "fdFD":
    a = np.eye(64, dtype=dtype) * 2
    assert (np.linalg.inv(a @ a) @ a @ a[0] == a[0] / 2).all()
"""
SIMD = """
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
print(" ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name)))
"""


class LeftOutError(Exception):
    """Why an environment cannot be had on this machine."""


@dataclass(frozen=True)
class Environment:
    """A name, and what makes ready and returns the interpreter and the variables that the tests run
    with.
    """

    name: str
    about: str
    prepare: Callable[[], tuple[str, dict[str, str]]]
    tests: tuple[str, ...] = ()  # where they are not those of the run


def kernels(core: str) -> tuple[str, dict[str, str]]:
    """The variables with which OpenBLAS takes the kernels of a processor, where this one can run
    them.
    """
    taken = taken_kernels(core)
    if taken not in (core, KERNELS[core]):
        raise LeftOutError(f"this OpenBLAS takes the kernels of {taken} for it")
    return sys.executable, {"OPENBLAS_CORETYPE": core}


def taken_kernels(core: str) -> str:
    """The processor whose kernels OpenBLAS says it takes when it is asked for those of `core`."""
    asked = {"OPENBLAS_CORETYPE": core, "OPENBLAS_VERBOSE": "2"}
    ran = subprocess.run(
        [sys.executable, "-c", PROBE],
        env=os.environ | asked,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise LeftOutError(f"this processor cannot run its kernels (exit status {ran.returncode})")
    told = re.search(r"^Core: (\w+)", ran.stdout + ran.stderr, re.MULTILINE)
    if told is None:
        raise LeftOutError("the BLAS of this NumPy is no OpenBLAS that chooses its kernels")
    return told[1]


def without_simd() -> tuple[str, dict[str, str]]:
    """The variable that turns off each instruction set which NumPy takes where the processor has
    it.
    """
    names = subprocess.run(
        [sys.executable, "-c", SIMD], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not names:
        raise LeftOutError("NumPy uses no more here than it needs everywhere")
    return sys.executable, {"NPY_DISABLE_CPU_FEATURES": names}


def other_python(version: str) -> tuple[str, dict[str, str]]:
    """An environment of another Python, with the newest packages."""
    return with_packages(f"python{version}", interpreter(version), ENGINES), {}


@cache
def newest_python() -> tuple[str, dict[str, str]]:
    """The environment of the newest Python that is found."""
    for version in reversed(PYTHONS):
        try:
            python = interpreter(version)
        except LeftOutError:
            continue
        return with_packages(f"python{version}", python, ENGINES), {}
    raise LeftOutError(f"there is no Python {' or '.join(PYTHONS)}")


def alone(engine: str) -> tuple[str, dict[str, str]]:
    """An environment with one engine."""
    return with_packages(f"alone-{engine}", sys.executable, ALONE[engine]), {}


def oldest_versions() -> tuple[str, dict[str, str]]:
    """An environment with the oldest versions that `pyproject.toml` allows of what the packages
    need.
    """
    return with_packages("oldest", sys.executable, tuple(oldest_requirements())), {}


def oldest_requirements() -> Iterator[str]:
    """``numpy==2.2.*`` for ``numpy>=2.2``, for whatever the core and the extras for users of the
    processor ask for.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for requirement in (*project["dependencies"], *extras["tape"], *extras["scipy"]):
        yield re.sub(r">=([\d.]+)$", r"==\1.*", requirement)


def interpreter(version: str) -> str:
    """The path of a Python that starts and has this version: on the path, or among those of pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for found in (shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))):
        if (
            found
            and not subprocess.run(
                [found, "--version"], capture_output=True, check=False
            ).returncode
        ):
            return str(found)
    raise LeftOutError(f"there is no Python {version}")


def with_packages(name: str, python: str, requirements: tuple[str, ...]) -> str:
    """The interpreter of an environment with the tests' packages, made or brought up to date."""
    place = PLACE / name
    if not (place / "bin/pytest").exists():
        subprocess.run([python, "-m", "venv", "--clear", place], check=True)
    install = [
        place / "bin/python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    subprocess.run([*install, "--upgrade", "pip>=25.1"], check=True)  # which knows groups
    ran = subprocess.run(
        [*install, "-e", ".", "--group", "test", "-e", "tests/samples", *requirements],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise LeftOutError(f"pip cannot install it: {ran.stderr.strip().splitlines()[-1]}")
    return str(place / "bin/python")


ENVIRONMENTS = (
    *(
        Environment(core, f"BLAS kernels of {core}", lambda core=core: kernels(core))
        for core in KERNELS
    ),
    Environment("no-simd", "NumPy without SIMD", without_simd),
    *(
        Environment(f"python{v}", f"Python {v}, newest packages", lambda v=v: other_python(v))
        for v in PYTHONS
    ),
    Environment("oldest", "oldest packages allowed", oldest_versions),
    *(Environment(f"alone-{e}", f"no engine but {e}", lambda e=e: alone(e), A_PART) for e in ALONE),
)


def passes(environment: Environment, tests: tuple[str, ...]) -> bool:
    """Run the tests in an environment and print its line."""
    before = cpu_seconds()
    try:
        python, variables = environment.prepare()
    except LeftOutError as reason:
        print(f"left out  {environment.about}: {reason}", flush=True)
        return True
    log = PLACE / f"{environment.name}.log"
    command = [Path(python).parent / "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", *tests]
    with log.open("w") as output:
        failed = subprocess.run(
            command, cwd=ROOT, env=os.environ | variables, stdout=output, stderr=output, check=False
        ).returncode
    spent = f"{cpu_seconds() - before:.0f} s of processor time"
    last = log.read_text().strip().splitlines()[-1].strip("= ")
    print(
        f"{'failed' if failed else 'passed'}    {environment.about}: {last}; {spent};"
        f" {log.relative_to(ROOT)}",
        flush=True,
    )
    return not failed


def cpu_seconds() -> float:
    """The processor time of all that was started and has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Run what the command line asks for; 1 where something failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"among {', '.join(e.name for e in ENVIRONMENTS)}"
    )
    parser.add_argument(
        "--cheap", action="store_true", help="fewer environments and tests, as in `.ci/run`"
    )
    parser.add_argument(
        "--newest", action="store_true", help="only the newest Python and libraries, in two runs"
    )
    given = parser.parse_args()
    if unknown := set(given.names) - {e.name for e in ENVIRONMENTS}:
        parser.error(f"no environment is called {', '.join(sorted(unknown))}")
    wanted = given.names or (CHEAP if given.cheap else [e.name for e in ENVIRONMENTS])
    PLACE.mkdir(exist_ok=True)
    if given.newest:
        parts = {"names and adapters": NEWEST_TESTS, "a part of all": PART_OF_ALL}
        runs = [
            (Environment(f"newest-{number}", f"newest libraries, {about}", newest_python), tests)
            for number, (about, tests) in enumerate(parts.items(), 1)
        ]
    else:
        tests = CHEAP_TESTS if given.cheap else NUMERIC
        runs = [(each, each.tests or tests) for each in ENVIRONMENTS if each.name in wanted]
    results = [passes(environment, tests) for environment, tests in runs]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
