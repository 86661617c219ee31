"""The ways of the product in PyTensor: how a program is differentiated there, by each order."""

from late import Late

NAME, MODULE = "PyTensor", "pytensor"
pytensor = Late(MODULE)


def within(derive, f):
    from chainrules_pytensor import to_pytensor

    t, mode = pytensor.tensor.dscalar(), pytensor.compile.Mode("py", "fast_compile")
    found = derive(to_pytensor(f), t)
    run = pytensor.function([t], [*found.values()], mode=mode, on_unused_input="ignore")
    return dict(zip(found, run(0.0), strict=True))


def of_itself():
    """What PyTensor makes of a function, in a graph."""

    def slope(f):
        return lambda t: pytensor.grad(f(t), t, disconnected_inputs="ignore")

    def push(*args):
        gradient = pytensor.gradient
        return (getattr(gradient, "pushforward", None) or gradient.Rop)(*args)

    return {
        "grad": lambda f, t: {0: f(t), 1: slope(f)(t)},
        "grad-grad": lambda f, t: {2: slope(slope(f))(t)},
        "pushforward": lambda f, t: {1: push(f(t), [t], [pytensor.tensor.ones_like(t)])},
    }
