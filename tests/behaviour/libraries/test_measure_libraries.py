"""The table of what runs on which library: it is what was measured, it is current, and its shares are what they have to be."""

import json
import warnings
from pathlib import Path
from runpy import run_path

import pytest

from chainrules_py.identity import qualified_name
from stand_ins.library_runs import DEVICES, outcome, primals

MEASURE = run_path(str(Path(__file__).with_name("measure_libraries.py")))
FIGURES = json.loads(MEASURE["FIGURES"].read_text(encoding="utf-8"))
STEP = 40  # of the primals that are measured again, where not all are asked for


def test_the_document_is_what_was_measured():
    assert MEASURE["DOCUMENT"].read_text(encoding="utf-8") == MEASURE["document"](FIGURES)


def test_every_primal_is_in_the_table():
    for found in FIGURES.values():
        assert list(found) == list(map(qualified_name, primals()))


@pytest.mark.parametrize("name", FIGURES)
def test_nearly_all_that_a_library_has_is_differentiated(name):
    for runs, of in MEASURE["shares"](FIGURES[name]):
        assert runs >= 0.95 * of >= 90


@pytest.mark.parametrize("name", FIGURES)
def test_no_derivative_is_another_one_than_numpys(name):
    assert [primal for primal, modes in FIGURES[name].items() if "?" in modes] == []


@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_are_current(name, request):
    pytest.importorskip({"JAX": "jax", "PyTorch": "torch", "Dask": "dask.array", "array API": "array_api_strict"}[name])
    device, step = DEVICES[name](), 1 if "slow" in request.config.option.markexpr else STEP
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for primal in primals()[::step]:
            assert outcome(device, primal) == FIGURES[name][qualified_name(primal)], primal
