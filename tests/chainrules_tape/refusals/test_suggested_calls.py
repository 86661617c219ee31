"""The commonest refusal begins with what to write instead of the very call, in few words, and what
it says works.
"""

import linecache
import pickle

import numpy as np
import numpy as xp
import pytest
from numpy import array

import chainrules_tape.numpy as tnp
from chainrules_tape import LostGradientError, grad, jvp, vmap

X = np.array([0.3, 0.7])
WORDS = 40
DERIVATIVES = {"reverse": lambda f: grad(f)(X), "forward": lambda f: jvp(f, (X,), (X,))}
IN_BOTH_MODES = pytest.mark.parametrize(
    "differentiate", DERIVATIVES.values(), ids=list(DERIVATIVES)
)


# What a user writes, what is advised, and the program with it.
def as_objects(x):
    """The array of objects of two numbers."""
    made = np.empty(2, dtype=object)
    made[0], made[1] = x[0], x[1] ** 2
    return made


CALLS = {
    "array": (
        lambda x: np.sum(np.array([x[0], x[1] ** 2])),
        "chainrules_tape.numpy.array in place of np.array",
        lambda x: np.sum(tnp.array([x[0], x[1] ** 2])),
    ),
    "over several lines": (
        lambda x: np.sum(
            np.array(
                [
                    x[0],
                    x[1] ** 2,
                ]
            )
        ),
        "chainrules_tape.numpy.array in place of np.array",
        lambda x: np.sum(tnp.array([x[0], x[1] ** 2])),
    ),
    "by another name": (
        lambda x: np.sum(xp.array([x[0], x[1] ** 2])),
        "chainrules_tape.numpy.array in place of xp.array",
        lambda x: np.sum(tnp.array([x[0], x[1] ** 2])),
    ),
    "imported by its name": (
        lambda x: np.sum(array([x[0], x[1] ** 2])),
        "chainrules_tape.numpy.array in place of array",
        lambda x: np.sum(tnp.array([x[0], x[1] ** 2])),
    ),
    "asarray": (
        lambda x: np.sum(np.asarray(x) ** 2),
        "chainrules_tape.numpy.asarray in place of np.asarray",
        lambda x: np.sum(tnp.asarray(x) ** 2),
    ),
    "full": (
        lambda x: np.sum(np.full(3, x[0])),
        "chainrules_tape.numpy.full in place of np.full",
        lambda x: np.sum(tnp.full(3, x[0])),
    ),
    "a function of a list": (
        lambda x: np.sum([x[0], x[1] ** 2]),
        "chainrules_tape.numpy.sum in place of np.sum",
        lambda x: tnp.sum([x[0], x[1] ** 2]),
    ),
    "a ufunc of a list": (
        lambda x: np.sum(np.square([x[0], x[1] ** 2])),
        "np.square(chainrules_tape.numpy.array([x])) in place of np.square([x])",
        lambda x: np.sum(np.square(tnp.array([x[0], x[1] ** 2]))),
    ),
    "of a submodule": (
        lambda x: np.sum(np.linalg.inv([[x[0], 1.0], [1.0, x[1]]])),
        "chainrules_tape.numpy.linalg.inv in place of np.linalg.inv",
        lambda x: np.sum(tnp.linalg.inv([[x[0], 1.0], [1.0, x[1]]])),
    ),
    "without a rule": (
        lambda x: np.sum(np.asarray_chkfinite(x) ** 2),
        "chainrules_tape.numpy.asarray_chkfinite in place of np.asarray_chkfinite",
        lambda x: np.sum(tnp.asarray_chkfinite(x) ** 2),
    ),
    "vectorize": (
        lambda x: np.sum(np.vectorize(lambda t: t**2)(x)),
        "chainrules_tape.numpy.vectorize in place of numpy.vectorize",
        lambda x: np.sum(tnp.vectorize(lambda t: t**2)(x)),
    ),
    "r_": (
        lambda x: np.sum(np.r_[x, 1.0] ** 2),
        "chainrules_tape.numpy.r_ in place of np.r_",
        lambda x: np.sum(tnp.r_[x, 1.0] ** 2),
    ),
    "a method of a plain array": (
        lambda x: X.dot(x),
        "numpy.dot(a, x) in place of a.dot(x)",
        lambda x: np.dot(X, x),
    ),
    "a method of what a call gave": (
        lambda x: np.ones(2).dot(x),
        "numpy.dot(a, x) in place of a.dot(x)",
        lambda x: np.dot(np.ones(2), x),
    ),
    "a method of an array of objects": (
        lambda x: as_objects(x).mean(),
        "chainrules_tape.numpy.mean(a) in place of a.mean()",
        lambda x: tnp.mean(as_objects(x)),
    ),
    "a number's class": (
        lambda x: np.float64(x[0]) ** 2,
        "x.astype(np.float64) in place of np.float64(x)",
        lambda x: x[0].astype(np.float64) ** 2,
    ),
}


def slope(f):
    step = 1e-6
    return np.array([(f(X + step * unit) - f(X - step * unit)) / (2 * step) for unit in np.eye(2)])


@IN_BOTH_MODES
@pytest.mark.parametrize("name", CALLS)
def test_the_message_begins_with_what_to_write_instead_of_this_call(differentiate, name):
    written, instead, _ = CALLS[name]
    with pytest.raises(LostGradientError) as caught:
        differentiate(written)
    assert str(caught.value).startswith(f"write {instead}, or ")
    assert len(str(caught.value).split()) <= WORDS


@pytest.mark.parametrize("name", CALLS)
def test_what_is_advised_works(name):
    written, _, right = CALLS[name]
    np.testing.assert_allclose(grad(right)(X), slope(written), rtol=1e-6)


UNKNOWN = {
    "called by another function": lambda x: list(map(np.asarray, [x])),
    "without a source": eval("lambda x: np.array([x])", {"np": np}),
    "a class of the user's": lambda x: Taking(x),
}


class Taking:
    """What asks for a plain array when it is made."""

    def __init__(self, x):
        (self.x,) = map(np.asarray, [x])


@pytest.mark.parametrize("name", UNKNOWN)
def test_where_the_call_is_not_known_the_message_is_as_short(name):
    with pytest.raises(LostGradientError) as caught:
        grad(UNKNOWN[name])(X)
    assert str(caught.value).startswith("call chainrules_tape.numpy's function in place of numpy's")
    assert len(str(caught.value).split()) <= WORDS


def test_a_file_that_has_changed_is_not_believed(tmp_path):
    path = tmp_path / "model.py"
    path.write_text("import numpy as np\n\ndef f(x):\n    return np.array([x])\n")
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    path.write_text("# nothing\n")
    linecache.checkcache(str(path))
    with pytest.raises(LostGradientError, match="numpy's function"):
        grad(scope["f"])(X)


def test_the_message_survives_pickling():
    with pytest.raises(LostGradientError) as caught:
        grad(CALLS["array"][0])(X)
    error = caught.value
    error.value = error.__dict__["value"] = None
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


TABLE = np.arange(12.0).reshape(4, 3)
POSITIONS = np.array([[1, 0], [3, 3]])


def test_rows_of_a_plain_array_that_differ_from_lane_to_lane():
    for read in (lambda k: TABLE[k], lambda k: np.sum(TABLE[k + 0])):
        with pytest.raises(LostGradientError) as raised:
            vmap(read)(POSITIONS)
        written = raised.value.operation
        instead = f"chainrules_tape.numpy.take(TABLE, {written[6:-1]}, axis=0)"
        assert str(raised.value).startswith(f"write {instead} in place of {written}")
    found = vmap(lambda k: tnp.take(TABLE, k, axis=0))(POSITIONS)
    np.testing.assert_array_equal(found, TABLE[POSITIONS])
