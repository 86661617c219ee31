"""Programs as data: every operation is there, with its rule and what it keeps; reading one changes
nothing.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from chainrules_programs.recording.steps import makes, reads
from chainrules_programs.showing.notation import notation, type_of
from chainrules_programs.showing.program import read_program
from chainrules_py import RuleTable, default_rules, primitive
from chainrules_tape import EscapedValueError, InputError, checkpoint, grad

X, W = np.array([0.5, -1.0, 2.0]), np.arange(6.0).reshape(2, 3)


def lines_of(program):
    return [notation.call(step) for step in program.steps]


LINES = {
    "operators": (
        lambda x: (x + 1.0) * -x / x**2,
        ["x + 1.0", "-x", "v1 * v2", "x ** 2", "v3 / v4"],
    ),
    "a ufunc": (lambda x: np.sin(x), ["np.sin(x)"]),
    "all entries": (lambda x: x[()], ["x[()]"]),
    "a method with options": (lambda x: x.sum(axis=0), ["np.sum(x, axis=0)"]),
    "indexing": (lambda x: x[1:, None], ["x[1:, None]"]),
    "a step backwards": (lambda x: x[::-1], ["x[::-1]"]),
    "an array of indices": (lambda x: x[np.array([0, 0])], ["x[int64[2]]"]),
    "a list": (lambda x: np.concatenate([x, x]), ["np.concatenate([x, x])"]),
    "a constant array": (lambda x: W @ x, ["float64[2, 3] @ x"]),
    "several outputs": (lambda x: np.modf(x)[0] * 2.0, ["np.modf(x)", "v1 * 2.0"]),
    "what has no derivative is no line": (lambda x: x * (x > 0), ["x * bool[3]"]),
    "a module of NumPy": (lambda x: np.linalg.norm(x), ["np.linalg.norm(x)"]),
    "a checkpoint": (lambda x: checkpoint(np.sin)(x), ["run_checkpointed(sin, (x,), {})"]),
}


@pytest.mark.parametrize(("function", "lines"), LINES.values(), ids=LINES)
def test_lines(function, lines):
    assert lines_of(read_program(function, X)) == lines


@dataclass
class Layer:
    w: np.ndarray
    b: float


def test_inputs_have_the_names_of_parameters_and_the_way_into_them():
    def loss(layers, *data, scale=2.0):
        return scale * np.sum(layers[0].w * data[0]["x"]) + layers[0].b

    program = read_program(loss, [Layer(X, 1.0)], {"x": X}, 3.0)
    assert [value.name for value in program.inputs] == [
        "layers[0].w",
        "layers[0].b",
        "data0['x']",
        "data1",
    ]
    assert lines_of(program)[0] == "layers[0].w * data0['x']"


def test_argnums_choose_what_is_active():
    program = read_program(lambda x, w: np.sum(w @ x), X, W, argnums=1)
    assert [value.name for value in program.inputs] == ["w"]
    assert lines_of(program)[0] == "w @ x"  # the constant keeps its name
    assert [value in program.values for value in reads(program.steps[0])] == [True, False]


KEPT = {  # what the partial derivatives mention, and no more
    "exp keeps its output": (np.exp, ["v1"], 24),
    "sin keeps its argument": (np.sin, ["x"], 24),
    "add keeps nothing": (lambda x: x + x, [], 0),
    "a product with a number keeps nothing": (lambda x: x * 2.0, [], 0),
    "a product keeps both factors": (lambda x: x * np.arange(3.0), [None], 24),
    "a square keeps one array once": (lambda x: x * x, ["x"], 24),
    "a view keeps what it looks into": (lambda x: np.exp(x)[:1] ** 2, ["v1", "v1"], 24),
}


@pytest.mark.parametrize(("function", "names", "nbytes"), KEPT.values(), ids=KEPT)
def test_what_is_kept(function, names, nbytes):
    program = read_program(function, X)
    assert [kept.name for call in program.steps for kept in call.note.kept] == names
    assert program.nbytes == nbytes


def test_rules_of_an_overlay_fire():
    table = RuleTable(parent=default_rules)

    @table.rrule.register(np.sin)
    def another_sin_rrule(x: np.ndarray):
        return np.sin(x), lambda y_bar: (y_bar,)

    (operation,) = read_program(np.sin, X, rules=table).steps
    assert operation.note.rule.name == "another_sin_rrule"


def test_results_are_names_and_constants():
    program = read_program(lambda x: {"loss": np.sum(x), "x": x, "n": 3, "plain": X > 0}, X)
    assert program.results == ("v1", "3", "bool[3]", "x")  # by key
    assert type_of(program.values[1]) == "float64"


def test_primitives_of_ones_own():
    @primitive
    def doubled(x):
        return x + x

    table = RuleTable(parent=default_rules)
    table.rrule.register(doubled)(lambda x: (doubled(x), lambda y_bar: (y_bar + y_bar,)))
    (operation,) = read_program(lambda x: doubled(x), X, rules=table).steps
    assert (notation.call(operation), *map(type_of, makes(operation))) == (
        "doubled(x)",
        "float64[3]",
    )


def test_reading_inside_a_derivative_sees_values_of_the_outer_level():
    def f(x):
        program = read_program(lambda z: z * x, X)
        assert lines_of(program) == ["z * float64[3]"]
        return np.sum(x * x)

    np.testing.assert_array_equal(grad(f)(X), 2 * X)


def test_values_that_escape_raise():
    caught = []
    read_program(lambda x: caught.append(x) or np.sum(x), X)
    with pytest.raises(EscapedValueError):
        caught[0] + 1


def test_writes_into_arrays_are_refused_with_what_shows_them():
    def f(x):
        y = np.sin(x)
        y[1:] = x[:-1] * 2.0
        return np.sum(y)

    np.testing.assert_allclose(grad(f)(X), [np.cos(X[0]) + 2.0, 2.0, 0.0])
    for function in (f, lambda x: f(x) * 2.0):
        with pytest.raises(InputError, match="source") as error:
            read_program(function, X)
        assert error.value.function is function


def test_a_program_says_how_long_it_is():
    assert repr(read_program(np.sin, X)) == "<the program sin: 1 operations, 24 bytes kept>"
