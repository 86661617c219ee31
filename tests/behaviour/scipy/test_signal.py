"""scipy.signal: the kit over every function."""

import importlib

import numpy as np
import pytest

from chainrules_py.testing import load_shipped
from chainrules_py.testing.pytest_cases import parametrize_all
from chainrules_tape import grad

signal = pytest.importorskip("scipy.signal")
load_shipped()
samples = importlib.import_module("chainrules_py.testing.samples.scipy.signal")
traced = importlib.import_module("chainrules_tape.scipy.signal")


@parametrize_all([*samples.CONVOLUTIONS, *samples.ALONG_AXES, *samples.WITH_BOUNDARY])
def test_rules(case):
    case.run()
