"""The processes of all libraries, which take turns on a program.

A library that is not installed beside ours may be in an environment of its own: that of the
interpreter that `CHAINRULES_PEERS` names, or else of `.venv/peers`, which `make peers` makes. Some
want a newer Python than the oldest of ours.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.contenders.by_python import LeftOut
from benchmarks.contenders.worker import CONTENDERS
from benchmarks.measure import balanced_orders, paired_ratio
from benchmarks.surroundings import KEEP_MEMORY, ONE_THREAD, ROOT

BASE = "tape"  # what all times are in units of
ROUNDS = (3, 9)  # at least and at most
BUDGET = 3.0  # seconds for the rounds of a program


def interpreter_of_peers() -> Path | None:
    """The Python of the second environment, where there is one."""
    named = os.environ.get("CHAINRULES_PEERS")
    found = Path(named) if named else ROOT / ".venv" / "peers" / "bin" / "python"
    return found if found.exists() else None


def interpreter_with(library: str) -> str | None:
    """The Python that can import a library: this one, or that of the second environment."""
    if find_spec(library) is not None:
        return sys.executable
    peers = interpreter_of_peers()
    if peers is None:
        return None
    look = f"import importlib.util as u, sys; sys.exit(u.find_spec({library!r}) is None)"
    return str(peers) if subprocess.run([peers, "-c", look]).returncode == 0 else None


def versions() -> dict[str, str]:
    """The version of each library that is installed here or in the second environment."""
    found = {}
    for library in dict.fromkeys(library for library, _ in CONTENDERS.values()):
        if (interpreter := interpreter_with(library)) is not None:
            say = f"import importlib.metadata as m; print(m.version({library!r}))"
            found[library] = subprocess.check_output([interpreter, "-c", say], text=True).strip()
    return found


class Contender:
    """The process of one library, which answers questions."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, *question: object) -> Any:
        """The answer to a question, which is a word and what it is about."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write("\t".join(map(str, question)) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else {"left out": "its process has ended"}


@contextmanager
def contender(name: str, interpreter: str, tree: Path, folder: str) -> Iterator[Contender]:
    """Start the process of a library, with our code as it is in `tree`.

    What PyTensor compiles goes into `folder`, and not into the cache of whoever runs this.
    """
    code = (str(tree), str(tree / "backends"))
    start = f"import sys; sys.path[:0] = [{str(ROOT)!r}]; import benchmarks.contenders.worker as w"
    start += f"; sys.path[:1] = {code}; w.main({name!r})"
    environment = {
        **os.environ,
        **ONE_THREAD,
        **KEEP_MEMORY,
        "PYTENSOR_FLAGS": f"base_compiledir={folder}",
    }
    command = [interpreter, "-P", "-c", start]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment) as process:
        yield Contender(process)
        process.communicate()


@contextmanager
def all_contenders(
    tree: Path = ROOT, names: Sequence[str] = tuple(CONTENDERS)
) -> Iterator[dict[str, Contender]]:
    """The processes of those libraries that are installed."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        found = {name: interpreter_with(CONTENDERS[name][0]) for name in names}
        yield {
            name: stack.enter_context(contender(name, interpreter, tree, folder))
            for name, interpreter in found.items()
            if interpreter is not None
        }


Figures = dict[str, dict[str, Any]]


def figures_of(program: str, contenders: dict[str, Contender]) -> Figures:
    """What there is to say about each library: `left out`, or its times in units of the tape's.

    `steady` is that of a call, `first` of the first result, and `two` of the first two calls, in
    which all that compile have done so. `seconds` is the time of a call on this machine.
    """
    begun = {name: each.ask("begin", program) for name, each in contenders.items()}
    left_out = {name: answer for name, answer in begun.items() if "left out" in answer}
    ready = {name: answer for name, answer in begun.items() if name not in left_out}
    if BASE not in ready:
        raise LeftOut(f"{BASE}: {left_out[BASE]['left out']}")
    require_agreement(program, {name: answer["found"] for name, answer in ready.items()})
    samples = take_turns(program, {name: contenders[name] for name in ready}, ready)
    unit = float(np.median(samples[BASE]))
    measured = {
        name: {
            "steady": paired_ratio(samples[name], samples[BASE]),
            "first": answer["first"] / unit,
            "two": answer["two"] / unit,
            "seconds": float(np.median(samples[name])),
        }
        for name, answer in ready.items()
    }
    return {**left_out, **measured}


def take_turns(
    program: str, contenders: dict[str, Contender], begun: dict[str, Any]
) -> dict[str, list[float]]:
    """Samples of each library, in orders in which everybody follows everybody else."""
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    rounds = min(ROUNDS[1], max(ROUNDS[0], int(BUDGET / sum(map(seconds, begun.values())))))
    for order in islice(cycle(balanced_orders(list(contenders))), rounds):
        for name in order:
            samples[name].append(contenders[name].ask("sample", begun[name]["calls"], program))
    return samples


def seconds(begun: dict[str, Any]) -> float:
    """How long a sample takes."""
    return float(begun["seconds"])


def require_agreement(program: str, found: dict[str, list[float]]) -> None:
    """Raise where a library has other numbers than ours."""
    expected = np.array(found[BASE])
    scale = np.max(np.abs(expected))
    for name, numbers in found.items():
        np.testing.assert_allclose(
            numbers, expected, rtol=1e-6, atol=1e-8 * scale, err_msg=f"{program}: {name}"
        )


def measured(programs: Sequence[str], tree: Path = ROOT) -> dict[str, Figures]:
    """The figures of each program, of our code in a folder; where that fails, what was raised is
    printed, and the program is left out.
    """
    found = {}
    with all_contenders(tree) as contenders:
        for program in programs:
            print(f"{program}: {', '.join(contenders)}", file=sys.stderr)
            try:
                found[program] = figures_of(program, contenders)
            except (AssertionError, LeftOut) as error:
                print(f"{program}: {error}", file=sys.stderr)
    return found
