"""Example calls of every primal that has a rule; add your own with `samples_for`."""

import importlib
import pkgutil

from chainrules_py.testing.samples.draw import Draw as Draw
from chainrules_py.testing.samples.table import COMPLEX as COMPLEX
from chainrules_py.testing.samples.table import REAL as REAL
from chainrules_py.testing.samples.table import REAL_AND_COMPLEX as REAL_AND_COMPLEX
from chainrules_py.testing.samples.table import Sample as Sample
from chainrules_py.testing.samples.table import Tag as Tag
from chainrules_py.testing.samples.table import dtypes_of as dtypes_of
from chainrules_py.testing.samples.table import sampled_primals as sampled_primals
from chainrules_py.testing.samples.table import samples_for as samples_for
from chainrules_py.testing.samples.table import samples_of as samples_of


def load_shipped() -> None:
    """Import the samples of this distribution, but for libraries that are not installed."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
