"""The table of what runs on which library: it is what was measured, it is current, and its shares
are what they have to be.
"""

import json
import warnings
from collections import Counter
from pathlib import Path
from runpy import run_path

import pytest

from chainrules_py.values.identity import qualified_name
from stand_ins.library_runs import DEVICES, primals
from stand_ins.measured_with import with_the_measured_libraries

MEASURE = run_path(str(Path(__file__).with_name("measure_libraries.py")))
MEASURED = json.loads(MEASURE["FIGURES"].read_text(encoding="utf-8"))
FIGURES = {name: found for name, found in MEASURED.items() if name in DEVICES}
# of the primals that are measured again, and of their samples, where not all are asked for
STEP, MOST = 120, 2


def test_the_document_is_what_was_measured():
    assert MEASURE["DOCUMENT"].read_text(encoding="utf-8") == MEASURE["document"](FIGURES)


@with_the_measured_libraries
def test_every_primal_is_in_the_table():
    for found in FIGURES.values():
        assert list(found) == list(map(qualified_name, primals()))


@pytest.mark.parametrize("name", FIGURES)
def test_nearly_all_that_a_library_has_is_differentiated(name):
    for runs, of in MEASURE["shares"](FIGURES[name]):
        assert runs >= 0.95 * of >= 90
    assert sum(map(bool, FIGURES[name].values())) >= 95


@pytest.mark.parametrize("name", FIGURES)
def test_no_derivative_is_another_one_than_numpys(name):
    wrong = {
        primal for primal, runs in FIGURES[name].items() if any("?" in modes for modes in runs)
    }
    assert not wrong


@with_the_measured_libraries
@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_are_current(name, request):
    try:
        device = DEVICES[name]()
    except ImportError as error:
        pytest.skip(str(error))
    whole = "slow" in request.config.option.markexpr
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for primal in primals()[:: 1 if whole else STEP]:
            known = Counter(FIGURES[name][qualified_name(primal)])
            most = max(1, known.total() if whole else min(MOST, known.total()))
            found = Counter(MEASURE["runs_of"](device, primal, most))
            assert found <= known, primal
            assert found.total() == min(most, known.total()), primal
