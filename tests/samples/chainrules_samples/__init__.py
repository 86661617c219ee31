"""Example calls of every function of NumPy and SciPy that has a rule: for authors of engines.

    from chainrules_py.testing import check_engine

    check_engine(my_engine)             # needs this package, and imports it

A module per topic, with generators of samples, which `chainrules_py.testing.samples_for` registers;
`scipy` has a module per module of SciPy. To import the package is to register all of them, but for
those of libraries that are not installed.
"""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
