"""Put replacements into foreign modules, and the originals back.

A place is an entry of a dict or a list, or an attribute. It is filled once, however many lists of
places name it, and emptied when the last of them lets go. Both may be done again where they were
interrupted. What somebody else has put there meanwhile stays. Who
did that may have kept ours, and put it back after the scope, as `monkeypatch` does; then the
original takes its place: at once in modules, elsewhere when a scope begins or ends.
"""

from types import ModuleType
from typing import Any

_ABSENT: Any = object()


class Place:
    """An entry of a dict: its original, and its replacement."""

    __slots__ = ("holder", "key", "new", "old", "where")

    def __init__(self, holder, key, old, new) -> None:
        self.holder, self.key, self.old, self.new = holder, key, old, new
        self.where = (id(holder), key)

    def read(self) -> Any:
        """The entry that is there now; dict's own method, because a class of dicts may do more."""
        return dict.get(self.holder, self.key, _ABSENT)

    def write(self, value) -> None:
        """Put a value in this place, whatever is there."""
        dict.__setitem__(self.holder, self.key, value)

    def put_back(self) -> bool:
        """Put the original there, unless somebody else has written; say whether it is there now."""
        found = self.read()
        if found is self.new:
            self.write(self.old)
            return True
        if id(found) in standing:  # code of the module itself has assigned another one of ours
            self.write(standing[id(found)].old)
            return True
        return found is self.old


class Item(Place):
    """An item of a list."""

    __slots__ = ()

    def read(self) -> Any:
        """The item that is there now."""
        if self.key >= list.__len__(self.holder):
            return _ABSENT
        return list.__getitem__(self.holder, self.key)

    def write(self, value) -> None:
        """Put a value in this place, whatever is there."""
        list.__setitem__(self.holder, self.key, value)

    def put_back(self) -> bool:
        """Put the original there, or wherever in the list ours is now."""
        for index, found in enumerate(list.__iter__(self.holder)):
            if found is self.new:
                list.__setitem__(self.holder, index, self.old)
        return True


class Attribute(Place):
    """An attribute of a function, of a variable of a closure, or of another object."""

    __slots__ = ()

    def read(self) -> Any:
        """The attribute as it is now."""
        try:
            return getattr(self.holder, self.key)
        except (AttributeError, ValueError):  # a variable of a closure may be empty
            return _ABSENT

    def write(self, value) -> None:
        """Put a value in this place, whatever is there."""
        setattr(self.holder, self.key, value)


class InstanceAttribute(Attribute):
    """An attribute; where the object had it from its class only, it is deleted to be put back."""

    __slots__ = ("is_own",)

    def __init__(self, holder, key: str, new) -> None:
        super().__init__(holder, key, getattr(holder, key), new)
        self.is_own = key in getattr(holder, "__dict__", (key,))

    def put_back(self) -> bool:
        """Put the original there, or delete what hides it."""
        if self.is_own or self.read() is not self.new:
            return super().put_back()
        delattr(self.holder, self.key)
        return True


class ClassAttribute(Place):
    """An attribute of a class, as it stands in the class; a metaclass is not asked."""

    __slots__ = ()

    def read(self) -> Any:
        """The attribute as it is now."""
        return vars(self.holder).get(self.key, _ABSENT)

    def write(self, value) -> None:
        """Put a value in this place, whatever is there."""
        type.__setattr__(self.holder, self.key, value)


filled: dict[tuple[int, Any], Place] = {}  # by holder and key, as the next two
_owners: dict[tuple[int, Any], set[int]] = {}  # the identities of the lists that want it filled
_left: dict[tuple[int, Any], Place] = {}  # where something else stood when ours was to be taken out
standing: dict[int, Place] = {}  # by the identity of what fills it
_modules: dict[int, ModuleType] = {}  # those with filled places, by the identity of their dicts


def fill(place: Place, places: list[Place]) -> None:
    """Fill a place, and note that it is in this list, too.

    One that is filled and that somebody has written to since, as who loads a module once more does,
    is filled anew.
    """
    where = place.where
    while not places or places[-1] is not place:  # a signal handler may have emptied the list
        places.append(place)
        if where in _owners:
            _owners[where].add(id(places))
        else:
            _owners[where] = {id(places)}
        known = filled.get(where)
        if known is None or known.new is not known.read():
            filled[where] = place
            standing[id(place.new)] = place
            place.write(place.new)


def empty(wanted: Place, places: list[Place]) -> None:
    """Empty a place of a list, unless another list wants it filled."""
    where = wanted.where
    owners = _owners.get(where)
    if owners:
        owners.discard(id(places))
        if owners:
            return
    place = filled.get(where)
    if place is not None and not place.put_back():
        _left[where] = place
        watch(place)
    filled.pop(where, None)
    _owners.pop(where, None)


def empty_all(places: list[Place]) -> None:
    """Empty the places of a list, the last one first."""
    for place in reversed(places):
        empty(place, places)
    places.clear()


def originals() -> dict[int, list[Any]]:
    """What stood where replacements stand now, by the identities of these; one may stand for several."""
    found: dict[int, list[Any]] = {}
    for place in filled.values():
        found.setdefault(id(place.new), []).append(place.old)
    return found


def put_back_what_was_left() -> None:
    """Put originals where somebody else has put back ours since the scope ended."""
    for where, place in _left.copy().items():
        if where not in filled and place.put_back():
            _left.pop(where, None)


class WatchedModule(ModuleType):
    """A module in which somebody replaced ours in a scope, and may put it back afterwards."""

    def __setattr__(self, name: str, value) -> None:
        ModuleType.__setattr__(self, name, value)
        put_back_what_was_left()
        if not any(place.holder is vars(self) for place in _left.copy().values()):
            ModuleType.__setattr__(self, "__class__", ModuleType)


def watch(place: Place) -> None:
    """Look at what is put into a module from now on, if the place is an entry of a module."""
    module = _modules.get(id(place.holder))
    if type(module) is ModuleType:
        module.__class__ = WatchedModule


def remember_module(module: ModuleType) -> None:
    """Remember whose dict that of a module is."""
    _modules[id(vars(module))] = module


def forget_modules() -> None:
    """Forget what only holds while places are filled; called when none is."""
    _modules.clear()
    standing.clear()
