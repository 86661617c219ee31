"""A shared object through whose symbols C reaches Python, and what happens where that has nothing
to say.
"""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from emulated_cuda.libraries.library import Address, Double, Float, Int, Library, Long, Refused
from emulated_cuda.libraries.memory import store
from emulated_cuda.libraries.trampolines import build

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
SONAME = "libtrampoline_test.so.3"
UNSUPPORTED, FAILED = 15, 13


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    library = Library("trampoline_test", SONAME, unsupported=UNSUPPORTED, failed=FAILED)

    @library.routine("mixed")
    def mixed(
        a: Int,
        x: Double,
        b: Long,
        y: Float,
        c: Int,
        d: Int,
        e: Int,
        f: Int,
        g: Long,
        result: Address,
    ) -> None:
        store(result, "d", a + 10 * b + 100 * c + 1000 * d + 1e4 * e + 1e5 * f + 1e6 * g + x + y)

    @library.routine("fails")
    def fails() -> None:
        raise ZeroDivisionError

    @library.routine("refuses")
    def refuses(status: Int) -> None:
        raise Refused(status)

    symbols = [*library.routines, "nobody"]
    library.path = build(SONAME, symbols, tmp_path_factory.mktemp("libraries"))
    library.attach(library.path, symbols)
    return library


@pytest.fixture(scope="module")
def shared(library):
    return ctypes.CDLL(str(library.path))


def test_arguments_in_registers_and_on_the_stack(shared):
    result = ctypes.c_double()
    arguments = (
        1,
        ctypes.c_double(0.25),
        ctypes.c_longlong(2),
        ctypes.c_float(0.5),
        3,
        4,
        5,
        6,
        ctypes.c_longlong(-7),
    )
    assert shared.mixed(*arguments, ctypes.byref(result)) == 0
    assert result.value == 1 + 20 + 300 + 4000 + 5e4 + 6e5 - 7e6 + 0.75


def test_an_exception_is_told_and_is_a_status(shared, capfd):
    assert shared.fails() == FAILED
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_a_refusal_is_a_status(shared, capfd):
    assert shared.refuses(7) == 7
    assert capfd.readouterr().err == ""


def test_a_symbol_that_nobody_wrote_is_named(library, shared, capfd):
    assert shared.nobody(1, 2, 3) == UNSUPPORTED
    assert library.missed == ["nobody"]
    assert "nobody" in capfd.readouterr().err


def test_names_and_versions(library):
    """What the dynamic linker looks for in a library that CuPy is linked against."""
    listing = subprocess.run(
        ["readelf", "--wide", "--dynamic", "--dyn-syms", str(library.path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"[{SONAME}]" in listing.stdout
    assert f"nobody@@{SONAME}" in listing.stdout


def test_built_once(library):
    before = library.path.stat().st_mtime_ns
    assert build(SONAME, [*library.routines, "nobody"], library.path.parents[1]) == library.path
    assert library.path.stat().st_mtime_ns == before


def test_warnings_of_numpy_do_not_leave_a_library():
    library = Library("quiet", "libquiet.so", unsupported=UNSUPPORTED, failed=FAILED)

    @library.routine("overflows")
    def overflows(result: Address) -> None:
        store(result, "d", np.float64(1e308) * 10)

    result = ctypes.c_double()
    assert library.callback("overflows")(ctypes.addressof(result)) == 0
    assert result.value == np.inf
