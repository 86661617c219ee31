"""Generate a function that tells quickly whether a call is like the one a program was made for.

`signatures.signature` makes a key of any call, and looks it up: 4 us for a tuple of six arrays. A
function that is written for the containers and arrays of one call says in 1.5 us whether another
call has the same key. It is written for tuples, lists, dicts of strings, arrays and real or complex
numbers; calls with anything else go by their keys.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules_programs.compiling.signatures import COUNTED_BY_CLASS
from chainrules_py.makers.writing import Source, entries
from chainrules_tape.core.trees import functions_of_containers

Match = Callable[[tuple[Any, ...]], list[Any] | None]


def matcher(args: tuple[Any, ...]) -> Match | None:
    """Return a function of a call's arguments: their leaves if the signature is that of `args`.

    Of a call with another signature it returns None, and may raise ValueError.

    >>> match = matcher((np.ones((2, 3)), 0.5))
    >>> match((np.zeros((2, 3)), 1.5))[1], match((np.zeros((3, 2)), 1.5))
    (1.5, None)
    """
    writer = _Writer()
    try:
        with writer.source.block("def match(args):"):
            names = writer.parts("args", args)
            container: Any = (names, {})
            leaves, _ = functions_of_containers().tree_flatten(container, none_is_leaf=True)
            writer.source.write(f"return [{', '.join(leaves)}]")
    except _OtherKindError:
        return None
    return writer.source.compile("match", "<the signature of a call>")


class _OtherKindError(Exception):
    """An argument for which no question is written."""


class _Writer:
    """Writes questions to the arguments of a call, and names for their leaves."""

    def __init__(self) -> None:
        self.source = Source()
        self.source.scope = {"ndarray": np.ndarray}
        self.count = 0

    def new_name(self) -> str:
        """Make a name."""
        self.count += 1
        return f"x{self.count}"

    def require(self, condition: str, **names) -> None:
        """Write a question; a call with another answer has another signature."""
        with self.source.block(f"if not ({condition}):", **names):
            self.source.write("return None")

    def named(self, name: str, x) -> Any:
        """Write whether a part is like `x`; return the name of a leaf, or a container of names."""
        cls = type(x)
        if cls is np.ndarray:
            return self.array(name, x)
        if cls in COUNTED_BY_CLASS:
            self.require(f"type({name}) is class_of_{name}", **{f"class_of_{name}": cls})
            return name
        if cls in (tuple, list):
            self.require(f"type({name}) is {cls.__name__}")
            return self.parts(name, x)
        if cls is dict and all(type(key) is str for key in x):
            return self.entries_of_dict(name, x)
        raise _OtherKindError

    def array(self, name: str, x: np.ndarray[Any, Any]) -> str:
        """Write whether an array has the type, shape and memory order of `x`; return its name."""
        if x.dtype.kind not in "fciub":
            raise _OtherKindError
        order = f"{name}.flags.c_contiguous"
        if not x.flags.c_contiguous:
            order = f"{name}.strides == {x.strides} and not {order}"
        kind = f"type({name}) is ndarray and {name}.dtype is dtype_of_{name}"
        names = {f"dtype_of_{name}": x.dtype}
        self.require(f"{kind} and {name}.shape == {x.shape} and {order}", **names)
        return name

    def parts(self, name: str, x) -> Any:
        """Take a tuple or list apart, which raises ValueError where it has another length."""
        if not x:
            self.require(f"not {name}")
            return x
        names = [self.new_name() for _ in x]
        self.source.write(f"{entries(names)} = {name}")
        return type(x)([self.named(own, part) for own, part in zip(names, x, strict=True)])

    def entries_of_dict(self, name: str, x: dict[str, Any]) -> dict[str, Any]:
        """Write whether a dict has the keys of `x`, in their order, and take it apart."""
        self.require(f"type({name}) is dict and tuple({name}) == {tuple(x)}")
        found = {}
        for key, part in x.items():
            own = self.new_name()
            self.source.write(f"{own} = {name}[{key!r}]")
            found[key] = self.named(own, part)
        return found
