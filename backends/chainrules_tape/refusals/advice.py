"""Conversions and writes that a traced value refuses, and what to write instead of each."""

from chainrules_py.values.operators import BINARY, BITWISE, SIGNS

NUMBER = (
    "keep the traced value and use NumPy's function of the same meaning, or write stop_gradient(x)"
    " first, if a constant is meant"
)


# Asked by numpy.array of a list, and by whatever else NumPy does not let others intercept.
_ARRAY = (
    "write chainrules_tape.numpy.array in place of numpy.array (other functions, such as vectorize,"
    " and chainrules_tape.scipy likewise)"
)
_OTHER_FORMS = (
    "write chainrules_tape.numpy.take(a, k, axis=0) for a[k], numpy.dot(a, x) for a.dot(x),"
    " x.astype(numpy.float64) for numpy.float64(x), numpy.add(array([x, y]), 1) for"
    " numpy.add([x, y], 1)"
)


COMPILED = (
    "compiled code (Numba, Cython, C) takes plain numbers, and needs a rule: outside of the"
    ' function, write f = primitive(f) and scalar_rule(f, "x", "derivative by x"), or'
    " @rrule.register(f); import these from chainrules_py"
)
# Methods that make a plain number of the entries of an array of objects.
OF_OBJECTS = frozenset({"mean", "std", "var"})


CONSTANT_MEANT = "convert stop_gradient(x), if a constant is meant"


# In lanes there is no plain value that would be a constant.
_CHOICE = "write numpy.where(condition, a, b) for a choice that differs from lane to lane"
_CONSTANTS = (
    CONSTANT_MEANT,
    "use stop_gradient(x), if a constant is meant",
    "take the plain value with chainrules_tape.stop_gradient(x), if a constant is meant",
    "give it chainrules_tape.stop_gradient(x), if a constant is meant",
    "write stop_gradient(x) first, if a constant is meant",
)


def for_lanes(advice: str) -> str:
    """Adapt an advice to lanes, where no plain value exists that `stop_gradient` could return."""
    for constant in _CONSTANTS:
        advice = advice.replace(constant, _CHOICE)
    return advice


ITERATE = "loop over numpy.ndindex(x.shape), and read and write x[index]"


# Of each method by which Python or NumPy asks for a plain value: how a program asks, and what to
# write instead.
# asked of values that differ from lane to lane
DECISION = "a decision (if, while, and, or, not, in, max, min, sorted) by x"
CONVERSIONS = {
    "__float__": ("float(x)", f"{NUMBER}; math.sin(x) is numpy.sin(x)"),
    "__int__": ("int(x)", NUMBER),
    "__complex__": ("complex(x)", NUMBER),
    "__index__": (
        "x as an index",
        "indices have no derivative: compute them from stop_gradient(x)",
    ),
    "__array__": (
        "an array of x (numpy.array, assignment, or a function that NumPy cannot intercept)",
        f"{_ARRAY}, or {CONSTANT_MEANT}; {_OTHER_FORMS}",
    ),
    "__dask_tokenize__": (
        "a Dask array of x",
        "pass Dask arrays to the derivative, and make constants by dask.array.from_array",
    ),
    "__reduce_ex__": (
        "pickling or copying x",
        "pickle the results of vjp or grad, not traced values",
    ),
    **{
        name: (f"x.{name}()", CONSTANT_MEANT)
        for name in ("tolist", "item", "tobytes", "tofile", "dump", "dumps", "getfield")
    },
    "view": (
        "x.view()",
        f"take x.real and x.imag of complex numbers, make them by x + 1j * y; {CONSTANT_MEANT}",
    ),
    **{
        name: (f"x.{name}()", CONSTANT_MEANT)
        for name in ("byteswap", "to_device", "__dlpack__", "__dlpack_device__")
    },
    "__buffer__": ("x.__buffer__()", f"{CONSTANT_MEANT}; {COMPILED}"),
}


# Methods of Python's numbers that would give plain ones.
OF_NUMBERS = {
    **{
        f"__{name}__": (
            f"math.{name}(x)",
            (
                f"numpy.{name}(x), whose derivative is zero between its steps, or"
                f" math.{name}(stop_gradient(x)), if a constant is meant"
            ),
        )
        for name in ("floor", "ceil", "trunc")
    },
    "__hash__": (
        "hash(x)",
        (
            "keep traced values out of sets, keys of dicts and caches (seen_through(f) does without"
            " caches of f's file); use stop_gradient(x), if a constant is meant"
        ),
    ),
    "as_integer_ratio": (
        "x.as_integer_ratio()",
        (
            f"{NUMBER}; fractions.Fraction(x) is x itself in code that is seen through"
            " (chainrules_tape.seen_through)"
        ),
    ),
}


# Those of them that give copies, which a buffer of plain numbers answers.
COPYING = frozenset(
    {
        "__float__",
        "__int__",
        "__complex__",
        "__reduce_ex__",
        "tolist",
        "item",
        "tobytes",
        "tofile",
        "dump",
        "dumps",
    }
)


VIEWS_OF_MEMORY = ("data", "ctypes", "flat", "base", "__array_interface__", "__array_struct__")


# Writes, and the functional form of each.
WRITES = {
    "__setitem__": (
        "x[index] = v",
        (
            "numpy.where(mask, v, x), or build the array from its parts with numpy.stack or"
            " numpy.concatenate"
        ),
    ),
    "__delitem__": ("del x[index]", "numpy.delete(x, index)"),
    **{
        f"__i{name}__": (f"x {SIGNS[name]}= v", f"x = x {SIGNS[name]} v")
        for name in (*BINARY, *BITWISE)
    },
    "fill": ("x.fill(v)", "numpy.full_like(x, v)"),
    "sort": ("x.sort()", "numpy.sort(x)"),
    "partition": ("x.partition(k)", "numpy.partition(x, k)"),
    "put": ("x.put(indices, v)", "numpy.where(mask, v, x)"),
    "resize": (
        "x.resize(shape)",
        "x = numpy.concatenate([numpy.ravel(x)[:size], zeros]).reshape(shape)",
    ),
    "setfield": ("x.setfield(v)", "numpy.where(mask, v, x)"),
    "setflags": ("x.setflags()", "a copy with the flags you need"),
    "_set_dtype": ("x._set_dtype(dtype)", "x.astype(dtype)"),  # these two since NumPy 2.5
    "_set_shape": ("x.shape = v", "x.reshape(shape)"),
}


# Attributes of arrays that can be assigned to.
ASSIGNMENTS = {
    "shape": "x.reshape(shape)",
    "dtype": "x.astype(dtype)",
    "real": "v + 1j * x.imag",
    "imag": "x.real + 1j * v",
    "flat": "numpy.full_like(x, v)",
}
