"""Programs that write into arrays, draw, or hand functions to functions, for `check_engine`."""

import operator
from functools import partial, reduce

import numpy as np

from chainrules_py.testing.programs import engine_program

X = np.array([0.7, -0.4, 1.1])
SQUARE = np.array([[0.3, 0.8], [-0.6, 1.4]])
writing = partial(engine_program, wants="HandlesOverwriting")
of_functions = partial(engine_program, wants="HasReverseMode or HasForwardsMode")

# --- Writes ---


@writing(X)
def constant_over_values(call, x):
    """What is overwritten has no derivative any more."""
    y = x * 1.0
    call(np.copyto, y, 2.0)
    return y * x


@writing(X)
def values_over_constants(call, x):
    """What is written has one."""
    y = np.zeros(3)
    call(np.copyto, y, x)
    return y * y


@writing(X)
def values_over_values(call, x):
    """Some of them, where a mask says."""
    y = x * x
    call(np.copyto, y, x, where=np.array([True, False, True]))
    return y * x


@writing(X)
def values_read_before(call, x):
    """What was computed of them stays as it was."""
    y = x * 1.0
    z = y * y
    call(np.copyto, y, 0.0)
    return z + y


@writing(X)
def values_put(call, x):
    """By flat places, in an array of constants."""
    y = np.zeros(4)
    call(np.put, y, [0, 2, 3], x)
    return y * y


@writing(X)
def values_put_by_mask(call, x):
    """In the place of others."""
    y = x * x
    call(np.putmask, y, np.array([True, False, True]), x)
    return y * x


@writing(X)
def values_placed(call, x):
    """One after the other, where a mask says."""
    y = x * x
    call(np.place, y, np.array([True, False, True]), x)
    return y * x


@writing(SQUARE)
def values_put_along_axis(call, x):
    """One in each row."""
    y = x * x
    call(np.put_along_axis, y, np.array([[1], [0]]), x[:, :1], axis=1)
    return y * x


@writing(SQUARE)
def diagonal_filled(call, x):
    """With a value."""
    y = x * x
    call(np.fill_diagonal, y, x[0, 1])
    return y * x


@writing(X)
def added_at_places(call, x):
    """Twice at one of them."""
    y = np.zeros(2)
    call(np.add.at, y, [0, 1, 0], x)
    return y * y


@writing(X)
def multiplied_at_places(call, x):
    """Values by values."""
    y = x * x
    call(np.multiply.at, y, [0, 2], x[1])
    return y


@writing(X)
def sorted_in_place(call, x):
    """By the method that gives nothing back."""
    y = x * 1.0
    y.sort()
    return y * x


@writing(X)
def written_by_output(call, x):
    """A ufunc that writes its result over its argument."""
    y = x * 1.0
    call(np.multiply, y, x, out=y)
    return y * x


@writing(X)
def entry_assigned(call, x):
    """By Python's assignment."""
    y = x * 1.0
    y[0] = x[1] * 2.0
    return y * x


@writing(X)
def entry_assigned_by_name(call, x):
    """By the function behind it."""
    y = x * 1.0
    call(operator.setitem, y, slice(0, 2), x[1:])
    return y * x


@writing(X)
def entry_of_constants_assigned(call, x):
    """A number of a program in an array of constants."""
    y = np.zeros(3)
    y[1] = x[0]
    return y * x


@writing(X)
def view_assigned(call, x):
    """What is written into a part of an array is in the array."""
    y = x * 1.0
    part = y[1:]
    part[0] = 3.0
    return y * x


@writing(X)
def operator_in_place(call, x):
    """The array has another name."""
    y = x * 1.0
    z = y
    z *= x
    return y


@engine_program(X)
def constants_overwritten_later(call, x):
    """A pullback reads them as they were."""
    a = np.array([0.5, 2.0, -1.0])
    y = x * a
    a[:] = 3.0
    return y * x * a


# --- Draws, of which differences are derivatives ---


def generator():
    """A generator in one state."""
    return np.random.default_rng(1)


@engine_program(X, np.array([1.2, 0.4, 2.0]))
def normal_drawn(call, loc, scale):
    """By location and scale."""
    return call(np.random.Generator.normal, generator(), loc, scale)


@engine_program(0.3, 1.7)
def uniform_drawn(call, low, high):
    """Between two ends."""
    return call(np.random.Generator.uniform, generator(), low, high, size=(2, 3))


@engine_program(0.3, 0.7)
def lognormal_drawn(call, mean, sigma):
    """By the legacy state."""
    return call(np.random.RandomState.lognormal, np.random.RandomState(1), mean, sigma, size=3)


@engine_program(np.array([1.2, 0.4, 2.0]))
def weibull_drawn(call, a):
    """By the inverse of a distribution function."""
    return call(np.random.Generator.weibull, generator(), a)


@engine_program(-0.3, 0.6, 1.9)
def triangular_drawn(call, left, mode, right):
    """On both sides of the mode."""
    return call(np.random.Generator.triangular, generator(), left, mode, right, size=6)


@engine_program(X[:2], SQUARE)
def vectors_drawn(call, mean, root):
    """By a matrix of covariances."""
    covariances = np.matmul(root, np.transpose(root))
    draw = np.random.Generator.multivariate_normal
    return call(draw, generator(), mean, covariances, size=3, method="cholesky")


@engine_program(SQUARE)
def rows_permuted(call, x):
    """Entries in another order."""
    return call(np.random.Generator.permutation, generator(), x) * x


@engine_program(X)
def entries_chosen(call, x):
    """Some of them twice."""
    return call(np.random.Generator.choice, generator(), x, 5)


@engine_program(2.0)
def whole_number_drawn(call, mean):
    """Which jumps, and stays between jumps."""
    return call(np.random.Generator.poisson, generator(), mean) * mean


# --- Functions that are given functions ---


@of_functions(SQUARE)
def function_of_rows(call, x):
    """Along an axis."""
    return call(np.apply_along_axis, lambda row: row * row[::-1], 1, x)


@of_functions(SQUARE)
def function_of_rows_with_captured_values(call, x):
    """That reads the argument itself."""
    return call(np.apply_along_axis, lambda row: row * x[0], 1, x)


@of_functions(SQUARE)
def function_over_axes(call, x):
    """A reduction, axis by axis."""
    return call(np.apply_over_axes, np.sum, x * x, [0, 1])


@of_functions(X)
def function_by_pieces(call, x):
    """A function where a mask says, a number elsewhere."""
    return call(np.piecewise, x, [np.array([True, False, True])], [lambda v: v * v, 3.0])


@of_functions(X)
def function_by_pieces_with_captured_values(call, x):
    """That reads the argument itself."""
    return call(np.piecewise, x, [np.array([True, False, True])], [lambda v: v * x[1], 3.0])


@of_functions(X, 0.8)
def vectorized_function(call, x, a):
    """Of numbers, for each entry."""
    return call(np.vectorize.__call__, np.vectorize(lambda v, a: v * v * a), x, a)


@of_functions(X)
def mapped_function(call, x):
    """Over two sequences."""
    return np.stack(list(call(map, np.multiply, x, [1.0, 2.0, 3.0])))


@of_functions(X)
def mapped_function_with_captured_values(call, x):
    """That reads the argument itself, as a part of another function."""
    return np.stack(list(call(map, partial(np.multiply, x[1]), x)))


@of_functions(X)
def reduced_function(call, x):
    """From an initial value on."""
    return call(reduce, np.multiply, [x, x * 2.0], x)
