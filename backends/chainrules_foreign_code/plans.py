"""Remember for each foreign module where replacements go, and look for changes later.

A plan holds for the packages that were seen through when it was made, because a module may hold
functions of others. To enter or leave a scope is to fill the places of all plans that are wanted
from now on, and then to empty those of the plans that were wanted until now, the last one first; a
place that both of them name stays as it is. Where that is interrupted, by an exception or by a
signal handler that does it, too, it is done again.
"""

import sys
from collections.abc import Callable, Iterable
from functools import cache
from types import ModuleType

from chainrules_foreign_code.own_modules import OwnModule, own_modules
from chainrules_foreign_code.replacements import is_compiled, note_places, read_rules_of_seen
from chainrules_foreign_code.substitutions import (
    Attribute,
    Item,
    Place,
    empty_all,
    fill,
    forget_modules,
    put_back_what_was_left,
    remember_module,
)
from chainrules_foreign_code.walks import Snapshot, Survey, Walk
from chainrules_py.introspection import collections_paused
from chainrules_tape.refusals.instrumented_packages import is_seen, packages

_MOST = 16  # sets of packages whose plans are kept


class Plan:
    """The places of one module, and how to see whether it has changed since they were found."""

    def __init__(self, module: ModuleType, survey: Survey, *, is_new: bool = False) -> None:
        walk = Walk(module, survey, is_new=is_new)
        self.module, self.places, self.snapshots = module, walk.places, walk.snapshots()
        # kept alive, so that what is somewhere else has another identity
        self.visited = walk.visited
        self.borrowed = walk.borrowed
        self._others = [place for place in walk.places if isinstance(place, Attribute | Item)]

    def is_current(self, module: ModuleType) -> bool:
        """Whether all that was read of the module is still there."""
        if module is not self.module:
            return False
        try:
            if not all(map(Snapshot.is_current, self.snapshots)):
                return False
        except RuntimeError:  # another thread writes to what is read here
            return False
        return all(place.read() is place.old for place in self._others)


# by the packages seen through, and the identity of a module's dict
_plans: dict[frozenset[str], dict[int, Plan]] = {}
_imported = 0  # how many modules there were when their places were noted
# of places, in their order, in which a place may be more than once; several while they change
_fillings: list[list[Place]] = [[]]
_followed: frozenset[str] = frozenset()  # the packages whose places are filled


def follow_packages() -> None:
    """Fill the places of the packages that are seen through now, and empty all others."""
    while (wanted := frozenset(packages)) != _followed or len(_fillings) > 1:
        follow(wanted)


def follow(wanted: frozenset[str]) -> None:
    """Fill the places of these packages, and empty all others."""
    global _followed
    put_back_what_was_left()
    plans: list[Plan | OwnModule] = []
    if wanted:
        plans += wanted_plans(wanted)
        plans += own_modules(wanted)
    own_modules(_followed)  # puts right what has been imported since
    now: list[Place] = []
    _fillings.append(now)
    fill_all(plans, now)
    for before in _fillings[:-1]:
        empty_all(before)
    if _fillings[-1] is not now:  # a signal handler has been here
        empty_all(now)
        return
    _fillings[:], _followed = [now], wanted
    if not wanted:
        forget_modules()


def fill_all(plans: Iterable[Plan | OwnModule], places: list[Place]) -> None:
    """Fill the places of plans, and note each of them."""
    for plan in plans:
        remember_module(plan.module)
        for place in plan.places:
            fill(place, places)


def wanted_plans(wanted: frozenset[str]) -> list[Plan]:
    """The plans of all foreign modules: those that were made, unless the module has changed."""
    global _imported
    known = _plans.pop(wanted, {})
    modules = seen_modules(cache(is_seen))
    found = still_right(known, modules)
    if len(found) == len(modules) and _imported == len(sys.modules):  # nearly always
        _plans[wanted] = found
        return list(found.values())
    with collections_paused(all_stay=True):
        read_rules_of_seen(packages)
        note_places()
        _imported = len(sys.modules)
        survey = Survey(is_seen)
        # A plan visits the objects that no other plan has visited, and borrows those that another
        # one has. So a plan that was made again may not visit what the one before it did: plans
        # that had borrowed that are made again, too, until none is left.
        while missing := [module for key, module in modules.items() if key not in found]:
            survey.claimed = set().union(*(plan.visited for plan in found.values()))
            found |= {id(vars(module)): Plan(module, survey) for module in missing}
            replaced = [plan for key, plan in known.items() if found.get(key) is not plan]
            known = found
            if not replaced:
                break
            lost = set().union(*(plan.visited for plan in replaced))
            lost.difference_update(*(plan.visited for plan in found.values()))
            found = {key: plan for key, plan in found.items() if plan.borrowed.isdisjoint(lost)}
    _plans[wanted] = found
    if len(_plans) > _MOST:
        del _plans[next(iter(_plans))]
    return list(found.values())


def still_right(plans: dict[int, Plan], modules: dict[int, ModuleType]) -> dict[int, Plan]:
    """The plans of modules that have not changed."""
    return {
        key: plans[key]
        for key, module in modules.items()
        if key in plans and plans[key].is_current(module)
    }


def seen_modules(is_seen: Callable[[str], bool]) -> dict[int, ModuleType]:
    """The foreign modules, by the identity of their dict: a module may have several names."""
    modules = sys.modules.copy()
    roots = {name.partition(".")[0] for name in packages if is_package(modules.get(name))}
    inside = [name for name in modules if name.partition(".")[0] in roots] if roots else []
    wanted = [(name, modules[name]) for name in (*packages, *inside) if name in modules]
    return {
        id(vars(found)): found
        for name, found in wanted
        if is_module(found) and is_seen(name) and not is_compiled(found)
    }


def is_package(found) -> bool:
    """Whether what `sys.modules` has by a name may have modules in it, or is still to be imported."""
    return not is_module(found) or "__path__" in vars(found)


def is_module(found) -> bool:
    """Whether an entry of `sys.modules` is a module; anything may stand there, and is not asked."""
    return issubclass(type(found), ModuleType)


def arrive(modules: Iterable[ModuleType]) -> None:
    """Fill the places of modules that have just been imported, or imported once more."""
    known = _plans.get(_followed, {})
    with collections_paused(all_stay=True):
        read_rules_of_seen(packages, modules)
        note_places()
        survey = Survey(is_seen)
        plans = [
            Plan(module, survey, is_new=True)
            for module in modules
            if survey.is_seen(module.__name__) and not is_compiled(module)
        ]
    known.update((id(vars(plan.module)), plan) for plan in plans)
    fill_all(plans, _fillings[-1])
