"""Functions with rules as operations of MyGrad: its tensors go in and come out, and its `backward`
runs our pullbacks. So SciPy's functions, linear algebra and FFTs work in its programs.

    y = to_mygrad(np.linalg.solve)(mygrad.tensor(a), b)
    y.sum().backward()
"""

import mygrad
import numpy as np
from mygrad.operation_base import Operation

from chainrules_py import NO_TANGENT, is_zero, unthunk, zero_tangent
from chainrules_py.engines import FlatCall, FlatValue


class Call(Operation):
    """A call as MyGrad knows it: of the tensors among its leaves, and with one array as result."""

    def __call__(self, *tensors, call, leaves, places):
        self.variables, self.leaves, self.places = tensors, leaves, places
        constant = {k for k, tensor in zip(places, tensors, strict=True) if tensor.constant}
        needed = [k in places and k not in constant for k in range(len(leaves))]
        self.y, self.pull = call.rrule(leaves, needed)
        return joined(self.y.leaves)

    def backward(self, grad, **options):
        """Run the pullback; then MyGrad asks for one argument after the other."""
        bars = parts_of(grad, self.y.leaves)
        pairs = zip(bars, self.y.leaves, strict=True)
        self.bars = self.pull([bar if is_float(x) else NO_TANGENT for bar, x in pairs])
        super().backward(grad, **options)

    def backward_var(self, grad, index, **options):
        """The cotangent of one argument."""
        bar = self.bars[k := self.places[index]]
        return np.zeros(np.shape(self.leaves[k])) if is_zero(bar) else np.asarray(unthunk(bar))


def joined(leaves):
    """Results as the one array that an operation of MyGrad gives."""
    if len(leaves) == 1:
        return np.array(leaves[0])
    return np.concatenate([np.zeros(0), *(np.ravel(x) for x in leaves if is_float(x))])


def parts_of(array, leaves):
    """The part of such an array, or of a tensor, of each result; integers stay what they are."""
    if len(leaves) == 1:
        return [array]
    stops = np.cumsum([np.size(x) * is_float(x) for x in leaves])
    return [
        array[stop - np.size(x) : stop].reshape(np.shape(x)) if is_float(x) else x
        for x, stop in zip(leaves, stops, strict=True)
    ]


def is_float(x):
    """Whether a result is differentiated."""
    return np.asarray(x).dtype.kind in "fc"  # MyGrad refuses complex numbers


def is_tensor(x):
    """Whether MyGrad knows what a value came of."""
    return isinstance(x, mygrad.Tensor)


def plain(x):
    """The array of a tensor; a constant as it is now, which a program may write to later."""
    return x.data if is_tensor(x) else x.copy() if type(x) is np.ndarray else x


def to_mygrad(function):
    """A function that has a rule, for tensors."""
    return lambda *args, **options: call(function, args, options)


def call(primal, args, options):
    """The result of a call: tensors where it depends on tensors, or else arrays."""
    flat, given = FlatCall.of(primal, args, options)
    places = [k for k, x in enumerate(given) if is_tensor(x)]
    leaves = flat.as_numbers(list(map(plain, given)), "reverse")
    if not flat.has_derivative(leaves, list(map(is_tensor, given))):
        y = flat.value(leaves)
        return y.with_leaves(y.leaves)
    options = {"call": flat, "leaves": leaves, "places": places}
    tensor = mygrad.execute_op(Call, *[given[k] for k in places], op_kwargs=options)
    y = tensor.creator.y
    return y.with_leaves(parts_of(tensor, y.leaves))


def vjp(f, *args):
    """The value of a function and its pullback, as engines are checked by."""

    def run():
        given = FlatValue.of(args)
        inputs = [mygrad.tensor(x) if is_float(x) else x for x in given.leaves]
        return given, inputs, FlatValue.of(f(*given.with_leaves(inputs)))

    def pullback(y_bar):
        given, inputs, y = run()  # its graphs are for one time
        pairs = zip(y.leaves, y.tangents(y_bar), strict=True)
        found = [(x * bar).sum() for x, bar in pairs if is_tensor(x) and not is_zero(bar)]
        if found:
            sum(found[1:], found[0]).backward()
        return given.with_leaves([gradient_of(x) for x in inputs])

    y = run()[2]
    values = [x.data if is_tensor(x) else x for x in y.leaves]
    return y.with_leaves(values), pullback


def gradient_of(x):
    """The gradient of an input, zeros where nothing depends on it."""
    if not is_tensor(x):
        return zero_tangent(x)
    return np.zeros(x.shape) if x.grad is None else x.grad
