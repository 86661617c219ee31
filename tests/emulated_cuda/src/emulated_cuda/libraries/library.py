"""A library of the toolkit: what its symbols do, written as Python functions that C can call.

A function here is written once for a family of symbols, which differ in the type of their numbers::

    @blas.over("cublas{}scal_v2") def scal(dtype: np.dtype[Any], handle: Address, n: Int, alpha:
    Address, x: Address, incx: Int) -> None: ...

Its annotations are the C types of the arguments. It returns nothing (success), a status or an
address. What goes wrong in it is printed and becomes the status of a failure; a symbol that nobody
wrote answers that it is not supported, and leaves its name.
"""

import atexit
import ctypes
import inspect
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np

# as a number, because ctypes makes None of a null pointer
Address = Annotated[int, ctypes.c_size_t]
Int = Annotated[int, ctypes.c_int]
Long = Annotated[int, ctypes.c_longlong]
Size = Annotated[int, ctypes.c_size_t]
Float = Annotated[float, ctypes.c_float]
Double = Annotated[float, ctypes.c_double]
Letter = Annotated[bytes, ctypes.c_char]
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
        return ctypes.CFUNCTYPE(RESULT, *c_types(body))(partial(self.run, body))

    def run(self, body: Callable[..., int | None], *arguments: Any) -> int:
        """Call a body. Nobody catches an exception behind C, so it is told here, and the caller is
        told by the status.
        """
        try:
            with np.errstate(all="ignore"):  # a device has no warnings
                return body(*arguments) or 0
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


def c_types(body: Callable[..., Any]) -> list[Any]:
    """The C types of a function's arguments; of a family's, the dtype is bound and no argument any
    more.
    """
    return [
        parameter.annotation.__metadata__[0]
        for parameter in inspect.signature(body).parameters.values()
    ]
