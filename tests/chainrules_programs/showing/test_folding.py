"""A folded stretch is written as a loop that computes the same; what is long is cut in the middle."""

import numpy as np
import pytest

from chainrules_programs.recording.program import Call
from chainrules_programs.recording.repetitions import Loop
from chainrules_programs.showing.folding import Begin, Cut, End, Folded, counting_text
from chainrules_programs.showing.listing import show
from chainrules_programs.showing.program import read_program

X = np.linspace(0.5, 1.5, 3)
LAYERS = [{"w": np.full((3, 3), 0.1 * (k + 1)), "b": X} for k in range(12)]


def iterated(x):
    total, y = 0.0, x
    for k in range(60):
        y = np.sin(y) * x[k % 3]
        total = total + y[k % 3] * k
    return total


def two_back(x):
    a, b = x, np.sin(x)
    for _ in range(20):
        a, b = b, 0.5 * (a + b)
    return b


def nested(x):
    for _ in range(5):
        for _ in range(12):
            x = np.sin(x)
        x = np.cos(x) * x
    return x


def entries(x):
    total = 0.0
    for row in range(5):
        for column in range(4):
            total = total + np.sin(x[row, column])
        total = total * total
    return total


def powers(x):
    return np.sum(sum(x**k for k in range(1, 20)))


def layers(params, x):
    for layer in params:
        x = np.tanh(layer["w"] @ x + layer["b"])
    return x


def summed(x):
    rows = [x * (k + 2) for k in range(12)]
    return sum(np.sin(row) for row in rows)


def as_python(listing):
    namespace = {"np": np}
    exec("\n".join(listing.lines[: listing.lines.index("")]), namespace)
    return namespace[listing.program.name]


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (two_back, (X,)),
        (nested, (X,)),
        (entries, (np.ones((5, 4)),)),
        (powers, (X,)),
        (layers, (LAYERS, X)),
    ],
    ids=["two back", "nested", "two counters", "powers", "parameters one by one"],
)
def test_the_loops_of_a_listing_compute_the_same(function, args):
    listing = show(function, *args)
    assert any("for k in range(" in line for line in listing.lines)
    assert len(listing.lines) < len(listing.program.steps)
    np.testing.assert_array_equal(as_python(listing)(*args), function(*args))


def test_what_no_expression_says_is_first_to_last():
    code = [line.partition("#")[0].strip() for line in show(iterated, X).lines]
    assert {"v8 = x[…]", "v11 = v10 * (k + 1)"} <= {*code}
    code = [line.partition("#")[0].strip() for line in show(summed, X).lines]
    assert {"v15 = np.sin(v2…v12)", "v16 = v14 + v15", "v14 = v16"} <= {*code}


@pytest.mark.parametrize(
    ("tokens", "written"),
    [
        (("0", "1", "2"), "k"),
        (("1", "2", "3"), "k + 1"),
        (("3", "5", "7"), "2 * k + 3"),
        (("2", "1", "0"), "2 - k"),
        (("2", "1", "3"), "…"),
        (("v1", "v9"), "v1…v9"),
    ],
)
def test_counted(tokens, written):
    assert counting_text(tokens, "k") == written


def test_the_counter_has_a_name_of_its_own():
    def f(k):
        for _ in range(20):
            k = np.sin(k)
        return k

    assert any("for k1 in range(20)" in line for line in show(f, X).lines)


def long(x):
    """Nothing is repeated: each operation has a shape of its own."""
    for _ in range(50):
        x = np.concatenate([x, x[:1]])
    return x


def test_the_middle_of_what_is_long_is_left_out_and_said():
    program = read_program(long, X)
    shown = [entry for entry, _ in Folded(program).shown(20)]
    ends = [*program.steps[:10], *program.steps[90:]]
    assert [entry for entry in shown if isinstance(entry, Call)] == ends
    (cut,) = [entry for entry in shown if isinstance(entry, Cut)]
    assert [*cut.entries] == program.steps[10:90]
    assert [entry for entry, _ in Folded(program).shown(None)] == program.steps


def test_lines_say_how_many_are_left_out_and_how_to_see_them():
    lines = show(long, X, limit=20).lines
    assert [line.split("# ")[1] for line in lines if "left out" in line] == [
        "80 operations left out; limit=None shows all"
    ] * 2
    assert len(lines) == 2 * (1 + 10 + 1 + 10 + 1) + 1
    assert len(show(long, X, limit=None).lines) == 2 * (1 + 100 + 1) + 1
    assert any("left out" in line for line in show(lambda x: long(long(long(x))), X).lines)


@pytest.mark.parametrize("limit", [0, 1, 2, 5, 9])
def test_loops_that_are_left_out_in_part_begin_and_end(limit):
    shown = [entry for entry, _ in Folded(read_program(nested, X)).shown(limit)]
    depth = 0
    for entry in shown:
        depth += isinstance(entry, Begin) - isinstance(entry, End)
        assert depth >= 0
    assert depth == 0
    assert sum(isinstance(entry, Call) for entry in shown) <= limit


def loops(function, *args):
    return [step for step in Folded(read_program(function, *args)).steps if isinstance(step, Loop)]


def iterated_sine(x, count):
    y = x
    for _ in range(count):
        y = np.sin(y) * x
    return y


def two_in_a_row(x):
    items = [x[k] for k in range(12)]
    total = items[0]
    for item in items[1:]:
        total = total + item * item
    return total


def growing(x):
    for _ in range(10):
        x = np.concatenate([x, x[:1]])  # another shape each time
    return x


def alternating(x, y):
    for k in range(24):
        x = np.minimum(x, x if k % 3 else y)
    return x


SHAPES = {  # how many steps the body of each loop has, and how often it is repeated
    "a loop": (lambda x: iterated_sine(x, 60), (X,), [(2, 60)]),
    "what would hide little": (lambda x: iterated_sine(x, 4), (X,), []),
    "taken from another one by one": (two_in_a_row, (np.ones(12),), [(1, 12), (2, 11)]),
    "shapes that change": (growing, (X,), []),
    "many operands": (lambda *xs: np.stack(xs), (X,) * 30, []),
    "a pattern": (alternating, (X, X), [(3, 8)]),
}


@pytest.mark.parametrize(("function", "args", "shapes"), SHAPES.values(), ids=SHAPES)
def test_shapes_of_loops(function, args, shapes):
    assert [(len(loop.body), loop.count) for loop in loops(function, *args)] == shapes
