"""Modules of a user's own, which a test writes."""

import importlib.util
import sys


def module_of(source, folder, name=None):
    """Write a file, and import it anew; without a name it has one of its folder."""
    name = name or f"plain_{abs(hash(folder))}"
    path = folder / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
