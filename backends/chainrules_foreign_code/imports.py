"""Imports while modules are seen through: those inside functions, and modules that arrive later."""

import builtins
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from chainrules_foreign_code.own_modules import SCIPY, as_outside, is_own
from chainrules_foreign_code.replacements import replacement


class Imports(MetaPathFinder):
    """The finder and the import function of Python while some package is seen through.

    `arrived` is called with the modules of an import when the outermost one is done, because a
    package that is half imported cannot be used yet.
    """

    def __init__(
        self, is_seen: Callable[[str], bool], arrived: Callable[[Sequence[ModuleType]], None]
    ) -> None:
        self.is_seen, self.arrived = is_seen, arrived
        self.thread = Thread()
        self.imported: Any = None

    def install(self) -> None:
        """Begin to be called for imports; this may be called again, and where it was interrupted."""
        if self in sys.meta_path:
            return
        python: Any = builtins
        if python.__import__ is not self.imported:
            self.imported = self.asked_of(python.__import__)
            python.__import__ = self.imported
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """End to be called; whoever else has replaced the import since keeps that."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        python: Any = builtins
        if python.__import__ is self.imported:
            python.__import__ = self.imported.__wrapped__

    def asked_of(self, original) -> Any:
        """Make the function that Python calls for import statements, given the original one."""

        def imported(
            name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
        ):
            """The module of an import statement; inside a function its replacement."""
            module = original(name, globals, locals, fromlist, level)
            importer = (globals or {}).get("__name__") or ""
            if fromlist and name.startswith(SCIPY) and is_own(importer):
                return as_outside(module)
            if locals is not None or globals is None or self.thread.depth:
                return module
            return replacement(module) if self.is_seen(globals.get("__name__") or "") else module

        imported.__wrapped__ = original  # type: ignore[attr-defined]
        return imported

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a foreign module as others do, with a loader that tells when it is loaded."""
        if not self.is_seen(name):
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self else None
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = Arriving(spec.loader, self)
                return spec
        return None


class Thread(threading.local):
    """The imports of a thread: how deep it is in those of foreign modules, and which are done."""

    def __init__(self) -> None:
        self.depth = 0
        self.done: list[ModuleType] = []


class Arriving(Loader):
    """A loader that tells when its module has been loaded."""

    def __init__(self, loader, imports: Imports) -> None:
        self.loader, self.imports = loader, imports

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Make the module, as the original loader does."""
        found: ModuleType | None = self.loader.create_module(spec)
        return found

    def exec_module(self, module: ModuleType) -> None:
        """Run the module with the original loader in the places that name it."""
        module.__loader__ = self.loader
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        thread = self.imports.thread
        thread.depth += 1
        try:
            self.loader.exec_module(module)
            thread.done.append(module)
        finally:
            thread.depth -= 1
            if not thread.depth:
                done, thread.done = thread.done, []
                self.imports.arrived(done)
