"""Random programs (`tests/shared/random_programs.py`), differentiated by the engines of the guide, have
the derivatives of differences, and so they have by the tape, and by MyGrad where numbers are real.

Programs with writes, draws and functions that capture values have them, too, or are refused.
"""

from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings, strategies as st

import chainrules_tape
from chainrules_py.engines import TracedValue, mapped, next_level
from chainrules_py.testing import Layout, directional, random_tangent
from chainrules_tape.numpy.namespaces import interceptable
from random_programs import Program, flat, programs
from seeds_of_programs import groups

Call = Callable[..., Any]
Event = tuple[str, int, int]  # the name of its kind, and which values it reads
ENGINES = ["reverse", "forward", "program", "tape"]
if find_spec("mygrad"):
    ENGINES.append("mygrad_tensors")


@pytest.fixture
def engine(name: str, load: Callable[[str], Any]) -> Any:
    """The engine of a name, with `vjp` or `jvp`, and `call`."""
    if name == "tape":
        return SimpleNamespace(
            vjp=chainrules_tape.vjp,
            call=lambda primal, args, options: interceptable(primal)(*args, **options),
        )
    found = load(f"engines/{name}")
    return behind_tensors(found) if name == "mygrad_tensors" else found


def behind_tensors(engine: Any) -> Any:
    """MyGrad's engine for programs that call NumPy on traced values, which it knows little of: each
    call becomes one of `engine.call`.
    """

    class Held(TracedValue):
        """A tensor."""

        level = next_level()

        def __init__(self, value: Any) -> None:
            self.value = value

        @classmethod
        def compute(cls, primal, args, options) -> Any:
            given = mapped(taken, tuple(args))
            return mapped(held, engine.call(primal, given, mapped(taken, options)))

    def held(x: Any) -> Any:
        return Held(x) if engine.is_tensor(x) else x

    def taken(x: Any) -> Any:
        return x.value if isinstance(x, Held) else x

    def vjp(f: Callable[..., Any], *args) -> Any:
        return engine.vjp(lambda *tensors: mapped(taken, f(*map(held, tensors))), *args)

    return SimpleNamespace(vjp=vjp, call=Held.dispatch)


def programs_for(name: str, most: int) -> st.SearchStrategy[Program]:
    """Programs that an engine takes: MyGrad has no complex numbers, which some use inside."""
    if name != "mygrad_tensors":
        return programs(most)
    return programs(most).filter(lambda program: not any(map(np.iscomplexobj, program.values)))


def is_complex(error: Exception) -> bool:
    """Whether MyGrad was given complex numbers."""
    return "Tensor data must be" in str(error)


def total(parts: list[Any]) -> Any:
    """A real number of all results of a program."""
    return sum(np.sum(np.real(part) * 0.7 + np.imag(part) * 0.3) for part in parts)


def run_by(call: Call, program: Program, events: list[Event], inputs: tuple[Any, ...]) -> Any:
    """The number that a program comes to, by calls of an engine; events come after its steps."""
    values = list(inputs)
    for primal, _, feeds, options, kept in program.steps:
        args = tuple(feed(values) for feed in feeds)
        parts = flat(call(primal, *args, **options))
        values += [parts[place] * scale for place, scale in kept]
    for kind, *reads in events:
        x, w = (np.ravel(np.real(values[k % len(values)])) * 1.0 for k in reads)
        values.append(np.tanh(KINDS[kind](call, x, w)))
    return total(values[len(inputs) :])


def calls_of(engine: Any) -> Call:
    """How a program calls a function by an engine."""
    return lambda primal, *args, **options: engine.call(primal, args, options)


def plain_call(primal, *args, **options) -> Any:
    """How it does without one."""
    return primal(*args, **options)


# --- Events: what writes, draws, or takes functions, given an array of values and another ---


def generator() -> np.random.Generator:
    """A generator in one state."""
    return np.random.default_rng(1)


def copied_over(call, x, w) -> Any:
    call(np.copyto, x, np.mean(w))
    return x * w[0]


def read_and_copied_over(call, x, w) -> Any:
    y = x * x
    call(np.copyto, x, w[0])
    return y + x


def put(call, x, w) -> Any:
    call(np.put, x, [0], w[:1])
    return x


def put_among_constants(call, x, w) -> Any:
    y = np.ones(x.size)
    call(np.put, y, [0], w[:1])
    return y * x


def added_at(call, x, w) -> Any:
    call(np.add.at, x, [0, 0], w[0])
    return x * x


def assigned(call, x, w) -> Any:
    y = x[:1]
    y[0] = w[0]
    return x


def assigned_among_constants(call, x, w) -> Any:
    y = np.ones(x.size)
    y[0] = w[0]
    return y * x


def multiplied_in_place(call, x, w) -> Any:
    y = x
    y *= w[0]
    return x


def constant_overwritten(call, x, w) -> Any:
    a = np.full(x.size, 0.5)
    y = x * a
    a[:] = 2.0
    return y * a


def normal(call, x, w) -> Any:
    return call(np.random.Generator.normal, generator(), x, 0.3 + w[0] * w[0])


def weibull(call, x, w) -> Any:
    return call(np.random.Generator.weibull, generator(), 1.0 + x * x) * w[0]


def permutation(call, x, w) -> Any:
    return call(np.random.Generator.permutation, generator(), x) * x


def along_axis(call, x, w) -> Any:
    return call(np.apply_along_axis, lambda row: row * row[::-1], 0, x)


def along_axis_capturing(call, x, w) -> Any:
    return call(np.apply_along_axis, lambda row: row * w[0], 0, x)


def vectorized(call, x, w) -> Any:
    return call(np.vectorize.__call__, np.vectorize(lambda v: v * v + 1.0), x)


def by_pieces_capturing(call, x, w) -> Any:
    return call(np.piecewise, x, [np.arange(x.size) % 2 == 0], [lambda v: v * w[0], 3.0])


WRITES = (
    *(copied_over, read_and_copied_over, put, put_among_constants, added_at),
    *(assigned, assigned_among_constants, multiplied_in_place),
)
DRAWS = (normal, weibull, permutation)
CAPTURING = (along_axis_capturing, by_pieces_capturing)
OF_FUNCTIONS = (along_axis, vectorized)
KINDS: dict[str, Callable[..., Any]] = {
    kind.__name__: kind
    for kind in (*WRITES, *DRAWS, *CAPTURING, *OF_FUNCTIONS, constant_overwritten)
}
MAY_REFUSE = {
    "reverse": (*WRITES, *CAPTURING),
    "forward": (*WRITES, *CAPTURING),
    "program": (*WRITES, *CAPTURING, *DRAWS),
    "tape": (*WRITES, *CAPTURING),
    "mygrad_tensors": (*WRITES, *CAPTURING, *OF_FUNCTIONS),
}


def slope_by(engine: Any, f: Callable[..., Any], x: list[Any], x_dot: list[Any]) -> float:
    """The derivative of a function along a direction."""
    if hasattr(engine, "jvp"):
        return float(engine.jvp(f, tuple(x), tuple(x_dot))[1])
    bars = engine.vjp(f, *x)[1](1.0)
    return float(sum(np.sum(bar * dot) for bar, dot in zip(bars, x_dot, strict=True)))


def check(engine: Any, program: Program, events: list[Event]) -> None:
    """Compare a derivative with differences of the plain program."""
    layout = Layout(program.inputs)
    rng = np.random.default_rng(0)
    x_dot = layout.restore(layout.tangent_vector(random_tangent(rng, program.inputs)))
    oracle = directional(lambda x: run_by(plain_call, program, events, x), program.inputs, x_dot)
    call = calls_of(engine)
    found = slope_by(engine, lambda *x: run_by(call, program, events, x), program.inputs, x_dot)
    if oracle.exists.all():
        size = max(1.0, float(np.max(np.abs(oracle.value))))
        assert abs(found - oracle.value[0]) <= 1e-6 * size + 100 * oracle.error[0]


EVENT = st.tuples(st.sampled_from([*KINDS]), st.integers(0, 999), st.integers(0, 999))


@pytest.mark.parametrize("chunk", groups(10))
@pytest.mark.parametrize("name", ENGINES)
def test_random_programs_are_right_or_refused(name, engine, chunk):
    outcomes = Counter()

    @settings(max_examples=40, deadline=None, database=None, suppress_health_check=[*HealthCheck])
    @given(programs_for(name, 6), st.lists(EVENT, max_size=2))
    def run(program, events):
        try:
            check(engine, program, events)
        except AssertionError:
            raise
        except Exception as error:
            kinds = {KINDS[kind] for kind, *_ in events}
            if not (kinds.intersection(MAY_REFUSE[name]) or is_complex(error)):
                raise
            outcomes[type(error).__name__] += 1
        else:
            outcomes["right"] += 1

    with np.errstate(all="ignore"):
        seed(chunk)(run)()
    # how many of the kinds each engine differentiates stands in the guide, and is held there
    assert outcomes["right"] > 10
