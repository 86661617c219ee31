"""Samples of SciPy's functions, a module per module of SciPy."""

import importlib
import importlib.util
import pkgutil

if importlib.util.find_spec("scipy") is not None:
    for _module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{_module.name}")
