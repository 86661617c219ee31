"""Libraries side by side: they compute the same gradients, in processes of their own, and who does not
run a program says why.
"""

from importlib.util import find_spec

import pytest

from benchmarks.contenders import turns, worker
from benchmarks.contenders.by_python import (
    LeftOut,
    by_tape,
    numbers,
    product,
    require_compiled,
)
from benchmarks.contenders.known import KNOWN
from benchmarks.surroundings import ROOT

SINES = "100 sines of 100 numbers"
# XLA compiles each for seconds; one program and one loop show how they are written.
COMPILED_ONCE = dict.fromkeys(
    ("JAX", 'to="jax"', "PyTensor"), (SINES, "recurrent network, 200 steps")
)
CASES = [
    (library, program)
    for library in worker.CONTENDERS
    for program in COMPILED_ONCE.get(library, KNOWN)
    if library != "tape"
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("library", "name"), CASES)
@pytest.mark.filterwarnings("ignore::chainrules_tape.NotCompiledWarning")
def test_each_library_has_the_gradient_of_the_tape(library: str, name: str):
    module, prepare = worker.CONTENDERS[library]
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    known = KNOWN[name]
    try:
        run = prepare(known)
        results = [run() for _ in range(2)]  # recorded, and compiled
        require_compiled(run)
    except LeftOut as reason:
        pytest.skip(str(reason))
    shown = numbers if known.system is None else product
    expected = shown(by_tape(known)())
    found = [shown(result) for result in results]
    turns.require_agreement(name, {"tape": expected, library: found[0], "later": found[1]})


def test_processes_take_turns():
    with turns.all_contenders(ROOT, ("tape", "by hand", "asdex")) as contenders:
        figures = turns.figures_of(SINES, {n: contenders[n] for n in ("tape", "by hand")})
    assert figures["tape"]["steady"] == 1.0
    assert 0 < figures["by hand"]["steady"] < 1.5  # it does less, on any machine
    assert all(about["two"] > about["first"] > 0 for about in figures.values())


def test_what_runs_on_the_tape_is_not_called_compiled(monkeypatch: pytest.MonkeyPatch):
    class OnTheTape:
        def __call__(self):
            return 1.0, ()

        def count_of_programs(self) -> int:
            return 0

    from functools import partial

    monkeypatch.setitem(worker.CONTENDERS, "other", ("numpy", lambda known: partial(OnTheTape())))
    assert worker.Answers("other").begin(SINES) == {"left out": "it runs on the tape"}
