"""Whatever a function reads, and wherever it has that from: compiled, it is never stale."""

import decimal
import gzip
import logging
import os
import sys
import threading
from configparser import ConfigParser
from contextlib import closing
from gzip import GzipFile
from sqlite3 import connect
from warnings import warn
from xml.etree.ElementTree import parse
from zipfile import ZipFile

import numpy as np
import pytest

from chainrules_programs.whole_programs import as_primitive
from chainrules_tape import compiled, grad, hessian, vmap
from surrounded_programs import HELD, PLACES, programs, source_of

X = np.array([0.3, 0.9, 0.5])
ROWS = np.stack([X, 2 * X])


def by_jax(f):
    jax = pytest.importorskip("jax", reason="jax is not installed (extra: jax)")
    from chainrules_jax import to_jax

    slope = jax.jit(jax.grad(to_jax(as_primitive(f, compiled=True))))
    return lambda x: np.asarray(slope(x.astype(np.float32))).astype(float)


def by_torch(f):
    torch = pytest.importorskip("torch", reason="torch is not installed (extra: torch)")
    from chainrules_torch import to_torch

    slope = torch.func.grad(to_torch(as_primitive(f, compiled=True)))
    return lambda x: slope(torch.tensor(x)).numpy()


# how a function is compiled, and what it is to agree with
WAYS = {
    "function": (compiled, lambda f: f),
    "gradient": (lambda f: compiled(grad(f)), grad),
    "gradient of an operation": (lambda f: grad(as_primitive(f, compiled=True)), grad),
}
ENGINES = ("JAX", "PyTorch")
LONG_WAYS = {
    **WAYS,
    "Hessian of an operation": (lambda f: hessian(as_primitive(f, compiled=True)), hessian),
    "operation in lanes": (
        lambda f: lambda x: vmap(as_primitive(f, compiled=True))(ROWS),
        lambda f: lambda x: np.array([f(row) for row in ROWS]),
    ),
    "JAX": (by_jax, grad),
    "PyTorch": (by_torch, grad),
}


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    """Leave the process as it was."""
    limit, name = sys.getrecursionlimit(), threading.current_thread().name
    monkeypatch.setitem(os.environ, "A_SCALE", "2")
    with decimal.localcontext(), np.errstate():
        yield
    sys.setrecursionlimit(limit)
    threading.current_thread().name = name


def staleness(place, held, way, calls, file):
    """What is wrong with a program that has run some times, after a change; None if nothing is."""
    space = {"__name__": "a_users_module", "file": file, "path": str(file)}
    exec(source_of(place, held), space)
    HELD[held].change(space, 2)
    make, reference = LONG_WAYS[way]
    function, expected = make(space["f"]), reference(space["f"])
    for _ in range(calls):
        function(X)
    before = expected(X)
    HELD[held].change(space, 7)
    now, found = expected(X), function(X)
    assert not np.allclose(before, now)  # else the program shows nothing
    if np.allclose(found, now, rtol=1e-5):
        return None
    return f"{held} by {place}, {way}, {calls} calls: {found} is not {now}"


def is_possible(place, held):
    """Whether a program does what its name says."""
    sets_state = place == "two error states" and held.startswith("numpy")
    return not sets_state


def require_fresh(pairs, ways, counts, tmp_path):
    """Check some programs in some ways."""
    file = tmp_path / "file"
    cases = [
        (*pair, way, n) for pair in pairs if is_possible(*pair) for way in ways for n in counts
    ]
    wrong = [staleness(*case, file) for case in cases]
    assert not any(wrong), "\n".join(filter(None, wrong))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", WAYS)
def test_some(way, tmp_path):
    require_fresh(programs(), [way], [3], tmp_path)


@pytest.mark.parametrize(
    "way",
    [
        pytest.param(way, marks=pytest.mark.slow if way in ENGINES else pytest.mark.long)
        for way in LONG_WAYS
    ],
)
@pytest.mark.parametrize("place", [*PLACES, "import", "import in a helper", "importlib"])
def test_all(place, way, tmp_path):
    pairs = [pair for pair in programs() if pair[0] == place]
    require_fresh(pairs, [way], [3] if way in ENGINES else [1, 2, 3, 4], tmp_path)


def test_what_clocks_and_generators_say_is_new_each_time():
    """These change by themselves, wherever they are."""
    for held, read in [
        ("time.time", "H()"),
        ("time", "H.perf_counter()"),
        ("random.random", "H()"),
        ("random", "H.random()"),
        ("np.random.rand", "H()"),
    ]:
        for source in (
            f"def f(x, H={held}): return x * {read}",
            f"H = [{held}]\ndef f(x): return x * {read.replace('H', 'H[0]')}",
        ):
            space = {"__name__": "a_users_module", "np": np}
            exec("import random, time\n" + source, space)
            step = compiled(space["f"])
            assert len({step(1.0) for _ in range(5)}) == 5, source


@pytest.mark.filterwarnings("ignore::chainrules_tape.NotCompiledWarning")
def test_a_file_that_an_attribute_has_the_name_of(tmp_path):
    file = tmp_path / "x.npy"
    space = {"__name__": "a_users_module", "np": np, "file": file}
    exec(
        "class C: load = 2.0\nc = C()\ndef f(x): return np.sum(x) * np.load(file)[0] * c.load",
        space,
    )
    step = compiled(space["f"])
    for number in (2.0, 2.0, 2.0, 5.0):
        np.save(file, np.array([number]))
        assert step(X) == space["f"](X)


def test_loggers_go_on(caplog):
    space = {"__name__": "a_users_module", "log": logging.getLogger("of a user"), "np": np}
    exec("def f(x):\n    log.warning('called')\n    return np.sum(x * x)", space)
    step = compiled(space["f"])
    for _ in range(5):
        step(X)
    assert caplog.messages == 5 * ["called"]
    assert step.count_of_programs() == 1, step.reasons


@pytest.mark.parametrize(
    "source",
    [
        "def f(x, log=print, path=os.path): return np.sum(x) * len(path.join('a', 'b'))",
        "import os\ndef f(x):\n    from os.path import join\n    return np.sum(x) * len(join('a', 'b'))",
        "def f(x):\n    import math\n    return np.sum(x) * math.pi",
        "D = {'time': time.time}\ndef f(x): return np.sum(x) * len(D)",
    ],
)
def test_what_is_not_used_is_no_reason(source):
    space = {"__name__": "a_users_module", "np": np}
    exec("import os, time\n" + source, space)
    step = compiled(grad(space["f"]))
    for _ in range(3):
        np.testing.assert_array_equal(step(X), grad(space["f"])(X))
    assert step.count_of_programs() == 1, step.reasons


WRITERS = {
    "save": lambda file: np.save(file, X),
    "savez": lambda file: np.savez(file, X),
    "savetxt": lambda file: np.savetxt(file, X),
    "tofile": lambda file: X.tofile(file),
    "dump": lambda file: X.dump(file),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_file_is_written_at_each_call(write, tmp_path):
    @compiled
    def f(x):
        write(tmp_path / "numbers")
        return 2 * x

    for _ in range(4):
        np.testing.assert_array_equal(f(X), 2 * X)
        (written,) = tmp_path.iterdir()
        written.unlink()


def of_configuration(file):
    parser = ConfigParser()
    parser.read(file)
    return parser["a"]["b"]


def of_database(file):
    with closing(connect(file)) as database:
        return database.execute("select b from a").fetchone()[0]


def write_database(file, number):
    with closing(connect(file)) as database, database:
        database.execute("drop table if exists a")
        database.execute("create table a (b)")
        database.execute("insert into a values (?)", (number,))


def write_zipped(file, number):
    with ZipFile(file, "w") as archive:
        archive.writestr("b", str(number))


def read_zipped(file):
    with ZipFile(file) as archive:
        return archive.read("b")


def read_packed(file):
    with GzipFile(file) as stream:
        return stream.read()


READERS = {
    "configparser": (of_configuration, lambda file, b: file.write_text(f"[a]\nb = {b}")),
    "gzip": (read_packed, lambda file, b: file.write_bytes(gzip.compress(str(b).encode()))),
    "sqlite3": (of_database, write_database),
    "xml": (
        lambda file: parse(file).getroot().text,
        lambda file, b: file.write_text(f"<a>{b}</a>"),
    ),
    "zipfile": (read_zipped, write_zipped),
}


@pytest.mark.parametrize(("read", "write"), READERS.values(), ids=READERS)
def test_a_file_that_the_standard_library_opens_is_read_at_each_call(read, write, tmp_path):
    file = tmp_path / "numbers"
    f = compiled(lambda x: x * float(read(file)))
    for number in (2.0, 2.0, 2.0, 5.0):
        write(file, number)
        assert f(1.0) == number


def test_a_warning_is_given_at_each_call():
    def f(x):
        warn("far from the data", UserWarning, stacklevel=1)
        return 2 * x

    program = compiled(f)
    for _ in range(4):
        with pytest.warns(UserWarning, match="far from"):
            program(X)


def test_times_in_other_units_are_other_arguments():
    f = compiled(lambda x, time: x * time.astype(int))
    for time in [np.timedelta64(2, "h"), np.timedelta64(120, "m")] * 3:
        np.testing.assert_array_equal(f(X, time), X * time.astype(int))
