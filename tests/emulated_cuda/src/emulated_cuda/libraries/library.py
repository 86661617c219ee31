"""A library of the toolkit: what its symbols do, written as Python functions that C can call.

A function here is written once for a family of symbols, which differ in the type of their numbers::

    @blas.over("cublas{}scal_v2") def scal(dtype: np.dtype[Any], n: Int, alpha:
    Address, x: Vector) -> None: ...

Its annotations say how C passes the arguments; a vector or a matrix are two arguments of C. It
returns nothing (success), a status or an address. What goes wrong in it is printed and becomes the
status of a failure; a symbol that nobody wrote answers that it is not supported, and leaves its
name.
"""

import atexit
import ctypes
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np

from emulated_cuda.libraries.memory import Columns, Entries

# as a number, because ctypes makes None of a null pointer
Address = Annotated[int, ctypes.c_size_t]
Int = Annotated[int, ctypes.c_int]
Long = Annotated[int, ctypes.c_longlong]
Size = Annotated[int, ctypes.c_size_t]
Float = Annotated[float, ctypes.c_float]
Double = Annotated[float, ctypes.c_double]
Letter = Annotated[bytes, ctypes.c_char]
Matrix = Annotated[Columns, ctypes.c_size_t, ctypes.c_int]
Vector = Annotated[Entries, ctypes.c_size_t, ctypes.c_int]
DType = np.dtype[Any]
Body = TypeVar("Body", bound=Callable[..., int | None])
RESULT = ctypes.c_size_t  # a status (of which C reads the lower half), or the address of a text
FOUR = {"S": "f", "D": "d", "C": "F", "Z": "D"}  # the letters of BLAS, and NumPy's


class Refused(Exception):
    """Raised by a routine whose arguments its library does not take: the status that it then
    returns.
    """

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


class Library:
    """Symbols and what they do.

    `unsupported` and `failed` are the statuses that this library has for the two.
    """

    def __init__(self, name: str, soname: str, *, unsupported: int, failed: int) -> None:
        self.name = name
        self.soname = soname
        self.unsupported = unsupported
        self.failed = failed
        self.routines: dict[str, Callable[..., int | None]] = {}
        self.missed: list[str] = []  # the symbols that were called and that nobody wrote
        self.kept: list[Any] = []  # the callbacks: C does not count references

    def routine(self, *symbols: str) -> Callable[[Body], Body]:
        """Say what some symbols do."""

        def register(body: Body) -> Body:
            self.routines.update(dict.fromkeys(symbols, body))
            return body

        return register

    def over(self, pattern: str, **dtypes: str) -> Callable[[Body], Body]:
        """Say what the symbols of a family do, which are made of a letter each; the function is
        given the dtype first.
        """

        def register(body: Body) -> Body:
            for letter, dtype in (dtypes or FOUR).items():
                self.routines[pattern.format(letter)] = partial(body, np.dtype(dtype))
            return body

        return register

    def attach(self, path: Path, symbols: list[str]) -> None:
        """Load the shared object and fill its table: entry k is what symbol k jumps to."""
        shared = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        shared.emulated_table.restype = ctypes.POINTER(ctypes.c_void_p)
        table = shared.emulated_table()
        for k, symbol in enumerate(symbols):
            self.kept.append(self.callback(symbol))
            table[k] = ctypes.cast(self.kept[-1], ctypes.c_void_p)
        atexit.register(
            detach, table, len(symbols), ctypes.cast(shared.emulated_end, ctypes.c_void_p)
        )

    def callback(self, symbol: str) -> Any:
        """The function that C calls for a symbol."""
        body = self.routines.get(symbol)
        if body is None:
            return ctypes.CFUNCTYPE(RESULT)(partial(self.miss, symbol))
        kinds = [each.annotation for each in inspect.signature(body).parameters.values()]
        c_types = [c_type for kind in kinds for c_type in kind.__metadata__]
        return ctypes.CFUNCTYPE(RESULT, *c_types)(partial(self.run, body, kinds))

    def run(self, body: Callable[..., int | None], kinds: list[Any], *arguments: Any) -> int:
        """Call a body. Nobody catches an exception behind C, so it is told here, and the caller is
        told by the status.
        """
        try:
            with np.errstate(all="ignore"):  # a device has no warnings
                return body(*as_said(kinds, iter(arguments))) or 0
        except Refused as refused:
            return refused.status
        except Exception:
            traceback.print_exc()
            return self.failed

    def miss(self, symbol: str) -> int:
        """Answer for a symbol that nobody wrote."""
        print(f"the emulated {self.soname} has no {symbol}", file=sys.stderr)
        self.missed.append(symbol)
        return self.unsupported


def detach(table: Any, count: int, end: ctypes.c_void_p) -> None:
    """Have every symbol do nothing: handles are destroyed as late as when there is no Python any
    more to do it.
    """
    for k in range(count):
        table[k] = end


def as_said(kinds: list[Any], arguments: Iterator[Any]) -> Iterator[Any]:
    """The arguments of C as those of a body, of which some are made of two."""
    return (kind.__origin__(*islice(arguments, len(kind.__metadata__))) for kind in kinds)
