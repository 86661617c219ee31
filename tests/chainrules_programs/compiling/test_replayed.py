"""What a function prints, logs and warns of, its program does as well: the same, as often, in this
order.
"""

import builtins
import contextlib
import io
import logging
import re
import sys
import threading
import time
import types
import warnings

import numpy as np
import pytest

from chainrules_programs.compiling.compile import NotCompiledWarning
from chainrules_programs.compiling.replayed import Effects, noted_calls
from chainrules_tape import compiled, grad, hessian, seen_through, value_and_grad, vmap

X = np.array([0.5, -1.0, 2.0])
SOURCE = """
import logging
import sys
import time
import warnings
from warnings import warn
import numpy as np

W = np.array([1.0, 2.0, 4.0])
LEVEL = 1
HELD = [0]

class Model:
    def __init__(self, name):
        self.name, self.seen = name, []

    def loss(self, x):
        print(self.name, x.shape, end="; ")
        return np.sum(np.sin(x) * W)

    def warns(self, x):
        if np.sum(x) > 0.0:
            warnings.warn(f"{self.name} is large", RuntimeWarning, stacklevel=LEVEL)
        return np.sum(x * x)

MODEL, OTHER = Model("one"), Model("two")

def shared(x):
    return MODEL.loss(x) + OTHER.loss(2 * x)

def of_method(x):
    return MODEL.loss(x)

def warning_method(x):
    return MODEL.warns(x)

def branches(x):
    for k in range(2):
        if x[k] > 0.0:
            print("positive", k, x[k])
        else:
            print("negative", k, [x[k]], sep="-")
    return np.sum(np.exp(x))

def values(x):
    y = x * W
    print(y, {"y": y[1]}, np.sum(y), W, LEVEL, flush=True)
    y *= 2.0
    print(y.dtype, (y, None))
    return np.sum(y * y)

def streams(x):
    print("to", "err", file=sys.stderr)
    sys.stdout.write("written\\n")
    sys.stderr.flush()
    return np.sum(x)

def imported(x):
    warn("by its own name")
    warn(UserWarning("made"))
    return np.sum(x)

def quiet(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn("nobody sees this")
    warnings.warn("once here", DeprecationWarning)
    return np.sum(x * x)

def loop(x):
    for k in range(60):
        print(k, x[0])
        x = np.sin(x) + 0.1
    return np.sum(x)

def raises(x):
    print("before")
    if x[0] > 1.0:
        raise ValueError("too large")
    return 1.0 / np.sum(x)

def caught(x):
    try:
        warnings.warn("maybe an error")
    except UserWarning:
        x = 3.0 * x
    return np.sum(x * x)

def of_text(x):
    print(f"{x!r}", repr(x[0]))
    return np.sum(x)

LOG = logging.getLogger("of_a_user")
ADAPTER = logging.LoggerAdapter(LOG, {})

class Logging:
    log = LOG
    levels = {"low": LOG.info, "high": LOG.error}

    def loss(self, x):
        self.log.info("at %s of %d, %r", x, len(x), MODEL.name)
        if np.sum(x) > 0.0:
            self.log.log(25, "positive")
        return np.sum(x * x)

def logs(x):
    y = Logging().loss(x) + Logging().loss(2 * x)
    LOG.debug("at %s", y)
    logging.warning("by the module")
    ADAPTER.error("by an adapter %(n)s", {"n": y})
    if LOG.isEnabledFor(logging.DEBUG):
        y = 2.0 * y
    logging.getLogger("of_a_user.inner").warning("inner")
    return y

def logs_numbers(x):
    LOG.warning("%.3f", x[0] if len(x) == 2 else 3.0)
    return np.sum(x * x)

def sets_up(x):
    LOG.setLevel(logging.INFO)
    return np.sum(x * x)

def logs_errors(x):
    try:
        raise ValueError("of the user")
    except ValueError:
        LOG.exception("caught")
    return np.sum(x * x)

def clocks(x):
    since, then = time.perf_counter(), time.monotonic_ns()
    y = np.sum(np.sin(x))
    print(time.perf_counter() - since < 60.0, time.monotonic_ns() >= then)
    return y

def elsewhere(x):
    print("into a list", file=FILE)
    return np.sum(x)
"""
NAMES = (
    *("of_method", "shared", "warning_method", "branches", "values", "streams", "imported"),
    *("quiet", "loop", "raises", "caught", "of_text", "elsewhere", "logs", "logs_numbers"),
    *("sets_up", "logs_errors", "clocks"),
)
DECIDE = {"warning_method", "branches", "raises", "logs"}  # by a number of a lane
STAY = {"of_text", "elsewhere", "imported", "sets_up", "logs_errors"}  # on the tape
WAYS = {
    "function": lambda f: f,
    "gradient": grad,
    "value and gradient": value_and_grad,
    "lanes": lambda f: lambda x: vmap(f)(np.stack([x, x + 0.1])),
    "second order": hessian,
}


ORIGINALS = print, warnings.warn, logging.Logger._log


def space_of(number):
    space = types.ModuleType(f"a_users_module_{number}")
    space.FILE = io.StringIO()
    sys.modules[space.__name__] = space
    exec(compile(SOURCE, "users.py", "exec"), space.__dict__)
    return space


class Kept(logging.Handler):
    """Keep the messages of all loggers."""

    def __init__(self):
        super().__init__()
        self.said = []

    def emit(self, record):
        try:
            text = record.getMessage()
        except Exception as error:  # as `logging` does, which prints it
            text = type(error)
        self.said.append((record.name, record.levelno, text, record.lineno, record.funcName))


@contextlib.contextmanager
def kept_messages():
    kept = Kept()
    logging.root.addHandler(kept)
    try:
        yield kept.said
    finally:
        logging.root.removeHandler(kept)


@pytest.fixture(autouse=True)
def levels():
    logging.getLogger("of_a_user").setLevel(logging.INFO)
    yield
    logging.getLogger("of_a_user").setLevel(logging.NOTSET)


def outcome(call):
    """The value or the error of a call, what it printed and logged, and what it warned of, where."""
    streams = io.StringIO(), io.StringIO()
    with (
        kept_messages() as messages,
        warnings.catch_warnings(record=True) as told,
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
    ):
        warnings.simplefilter("always")
        try:
            value = call()
        except Exception as error:
            value = str(error)
    said = [(str(w.message), w.category.__name__, w.lineno) for w in told]
    said = [one for one in said if one[1] != "NotCompiledWarning"]
    return value, [stream.getvalue() for stream in streams], said, messages


def require_same(found, expected):
    assert found[1:] == expected[1:]
    if isinstance(expected[0], str):
        assert found[0] == expected[0]
    else:
        for one, other in zip(np.atleast_1d(found[0]), np.atleast_1d(expected[0]), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)


def parts(x):
    return np.concatenate([np.ravel(part) for part in x]) if isinstance(x, tuple) else x


def change(space, k):
    if k == 4:
        space.MODEL.name = "another"
        space.LEVEL = 1 + 1
        space.LOG.setLevel(logging.DEBUG)
    if k == 6:
        space.W = space.W * 2.0
        space.LOG.setLevel(logging.ERROR)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_said(name, way):
    """At other numbers, branches and shapes; beside a twin that is not compiled."""
    ours, theirs = space_of("compiled"), space_of("plain")
    step = compiled(WAYS[way](getattr(ours, name)))
    plain = WAYS[way](getattr(theirs, name))
    points = [X, X, 1.1 * X, -X, X, X, X + 1, X + 1, X[:2], X[:2], 2 * X[:2], np.full(3, np.nan)]
    for k, x in enumerate(points):
        for space in (ours, theirs):
            change(space, k)
            if len(x) == 2:
                space.W = space.W[:2]
        with np.errstate(all="ignore"):
            found, expected = (
                outcome(lambda x=x: parts(step(x))),
                outcome(lambda x=x: parts(plain(x))),
            )
        require_same(found, expected)
        assert ours.FILE.getvalue() == theirs.FILE.getvalue()
    assert step.faults == {}
    # the text of a value in lanes has shapes alone
    stays = name in ((STAY | DECIDE) - {"of_text"} if way == "lanes" else STAY)
    assert bool(step.count_of_programs()) is not stays, step.reasons
    assert (builtins.print, warnings.warn, logging.Logger._log) == ORIGINALS


def told_by(function, action, calls=1):
    """What a function warns of, or what it raises, with a filter of this kind."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter(action)
        warnings.simplefilter("ignore", NotCompiledWarning)
        try:
            value = [function(X) for _ in range(calls)]
        except Warning as error:
            value = repr(error)
    return value, [(str(w.message), w.filename, w.lineno) for w in told]


def test_filters_that_make_errors():
    """A new program, or the tape: the function may catch the error."""
    space = space_of("errors")
    actions = ("always", "always", "always", "error", "error", "ignore", "ignore", "always")
    for f in (space.caught, space.warning_method):
        step = compiled(f)
        for action in actions:
            assert told_by(step, action) == told_by(f, action)
        assert step.count_of_programs()


def test_a_warning_that_is_shown_once_for_its_line():
    ours, theirs = space_of("once"), space_of("once too")
    step = compiled(ours.warning_method)
    (_, found), (_, expected) = (told_by(f, "default", 5) for f in (step, theirs.warning_method))
    assert found == expected == [("one is large", "users.py", 23)]


def test_in_the_scope_of_a_file(tmp_path, capsys):
    file = tmp_path / "of_a_user.py"
    file.write_text(
        "import numpy as np\ndef f(x):\n    y = np.zeros(3)\n    y[:] = x\n    print(y[0])\n"
        "    return np.sum(y * y)\n"
    )
    space = types.ModuleType("of_a_user")
    space.__file__ = str(file)
    exec(compile(file.read_text(), str(file), "exec"), space.__dict__)
    f = seen_through(space.f)
    step = compiled(grad(f))
    for k in range(4):
        np.testing.assert_allclose(step(k * X), grad(f)(k * X))
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 2
        assert lines[0] == lines[1]


def test_prepare_and_source_say_nothing_in_the_place_of_a_call(capsys):
    space = space_of("prepared")
    step = compiled(grad(space.of_method))
    step.prepare(X)
    assert step.count_of_programs() == 1
    text = step.source(X)
    assert "What that prints and warns of is not in it" in text
    capsys.readouterr()
    step(X)
    assert capsys.readouterr().out == "one (3,); "


@pytest.mark.parametrize("to", ["jax", "c", "math"])
@pytest.mark.parametrize("name", ["values", "branches", "loop", "logs", "warning_method"])
def test_by_compilers(name, to):
    """The texts are the same but for last digits, which these may change."""
    if to == "jax":
        jax = pytest.importorskip("jax", reason="jax is not installed (extra: jax)")
        jax.devices()  # which logs what it has found
    ours, theirs = space_of("compiled"), space_of("plain")
    step, plain = compiled(grad(getattr(ours, name)), to=to), grad(getattr(theirs, name))
    for k in range(7):
        x = X * (1.0 + 0.1 * k) * (-1.0 if k % 3 == 2 else 1.0)
        found, expected = outcome(lambda x=x: step(x)), outcome(lambda x=x: plain(x))
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
        texts, numbers = zip(*map(split, (found[1:], expected[1:])), strict=True)
        assert texts[0] == texts[1]
        np.testing.assert_allclose(*numbers, rtol=1e-9, atol=1e-12)
    assert step.count_of_programs() > 0, step.reasons
    assert step.faults == {}


def split(said):
    """What was said, without its numbers and blanks, and the numbers."""
    parts = re.split(r"(-?\d+\.?\d*(?:e[-+]\d+)?)", repr(said).replace(" ", ""))
    return parts[::2], [float(part) for part in parts[1::2]]


def test_other_threads_go_on(capsys):
    """While one thread records, another one prints, warns, logs and asks clocks as ever."""
    found = []

    def others():
        print("other")
        warnings.warn("of another", stacklevel=1)
        logging.getLogger("of_a_user").error("other")
        found.append((type(time.time()), id(found)))

    def f(x):
        thread = threading.Thread(target=others)
        thread.start()
        thread.join()
        print("own", id(X.shape) == 0)
        return np.sum(x * x)

    step = compiled(f)
    with warnings.catch_warnings(record=True) as told, kept_messages() as messages:
        warnings.simplefilter("always")
        step(X)
    assert capsys.readouterr().out == "other\nown False\n"
    assert [str(w.message) for w in told][:1] == ["of another"]
    assert len(messages) == 1
    assert found == [(float, id(found))]


def test_other_threads_print_meanwhile(capsys):
    """While one thread records, what another one prints is printed at once."""
    effects = Effects([].append)
    with noted_calls(effects):
        thread = threading.Thread(target=lambda: builtins.print("other"))
        thread.start()
        thread.join()
        builtins.print("noted", 1.5, sep="=")
    assert capsys.readouterr().out == "other\n"
    effects.perform()
    assert capsys.readouterr().out == "noted=1.5\n"
    assert builtins.print is print
