"""The table of how engines take the primals is complete and current; nearly all are taken."""

import json
import warnings
from runpy import run_path

import pytest

from stand_ins.engine_runs import ENGINES, NONE, outcome, primals
from stand_ins.measured_with import with_the_measured_libraries

MEASURE = run_path(__file__.replace("test_measure", "measure"))
FIGURES = json.loads(MEASURE["FIGURES"].read_text(encoding="utf-8"))
# of the primals that are measured again, where not all are asked for
STEPS = {"autograd": 60, "JAX": 180, "PyTorch": 60}
NEEDED = {"autograd": "autograd", "JAX": "jax", "PyTorch": "torch"}


@with_the_measured_libraries
def test_every_primal_is_in_the_table():
    assert list(FIGURES) == list(ENGINES)
    for found in FIGURES.values():
        assert list(found) == list(primals()), (
            "run PYTHONPATH=tests/shared python tests/engines/measure_engines.py, which adds what is"
            " missing"
        )


@pytest.mark.parametrize("name", FIGURES)
def test_nearly_all_primals_with_a_real_argument_are_taken(name):
    found = list(filter(None, FIGURES[name].values()))
    assert len(found) > 700
    assert found.count(NONE) < 0.1 * len(found)


@with_the_measured_libraries
@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_are_current(name, request):
    pytest.importorskip(NEEDED[name])
    if name == "JAX":
        pytest.importorskip("jax").config.update("jax_enable_x64", True)
    engine, step = ENGINES[name](), 1 if "slow" in request.config.option.markexpr else STEPS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for primal_name, primal in list(primals().items())[::step]:
            assert outcome(engine, primal) == FIGURES[name][primal_name], primal_name
