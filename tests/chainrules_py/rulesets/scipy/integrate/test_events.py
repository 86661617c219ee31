"""Times of events of `solve_ivp`, and values there, against differences of SciPy's own."""

import numpy as np
import pytest
from scipy import integrate as scipys

from chainrules_py import NotDifferentiableError
from chainrules_tape import grad, jacobian, stop_gradient, vmap
from chainrules_tape.scipy import integrate

TIGHT = {"rtol": 1e-9, "atol": 1e-11}
POINT = np.array([9.8, 1.0, 2.0])


def counted(event, terminal=None, direction=0):
    event.terminal, event.direction = terminal, direction
    return event


def fall(module, p, **options):
    """A ball that is thrown up, until it is down at a height that is a parameter."""
    down = counted(lambda t, y, pull: y[0] - 0.1 * p[1], True, -1)
    turned = lambda t, y, pull: y[1] * pull  # noqa: E731
    options = {"events": (turned, down), **TIGHT, **options}
    return module.solve_ivp(
        lambda t, y, pull: [y[1], -pull * (1 + 0.1 * y[0])],
        (0.0, 3.0),
        np.stack([p[2], 0.3 * p[1]]),
        args=(p[0],),
        **options,
    )


def swing(module, p, **options):
    """An oscillator that passes zero several times, begun at a time that is a parameter."""
    options = {"events": lambda t, y: y[0] - 0.2 * p[2] * t, **TIGHT, **options}
    return module.solve_ivp(
        lambda t, y: [y[1], -p[0] * y[0] - 0.1 * y[1]], (0.1 * p[1], 4.0), np.ones(2), **options
    )


def backwards(module, p):
    event = lambda t, y: y[0] - 0.5 * p[1]  # noqa: E731
    return module.solve_ivp(
        lambda t, y: -p[2] * y + 0.1 * p[0], (1.0, -1.0), np.ones(1) * 0.2, events=event, **TIGHT
    )


PROGRAMS = {
    "until an event": fall,
    "at times": lambda m, p: fall(m, p, t_eval=[0.0, 0.1, 0.3, 2.0]),
    "at times after it": lambda m, p: fall(m, p, t_eval=[2.0, 2.5]),
    "LSODA": lambda m, p: fall(m, p, method="LSODA"),
    "Radau": lambda m, p: fall(m, p, method="Radau"),
    "several times": swing,
    "the second time": lambda m, p: swing(m, p, events=counted(lambda t, y: y[0], 2)),
    "of two that end it": lambda m, p: swing(
        m, p, events=[counted(lambda t, y: y[1] + p[2], 1), counted(lambda t, y: y[0], 1)]
    ),
    "never": lambda m, p: swing(m, p, events=lambda t, y: y[0] + 9.0),
    "backwards": backwards,
}


def all_of(result):
    parts = result.y[:, -1] if len(result.y) else [], result.t[-1:]
    parts += (*result.t_events, *result.y_events)
    return np.concatenate([np.reshape(part, -1) for part in parts])


def quotients(f, step):
    return np.stack([(f(POINT + e) - f(POINT - e)) / (2 * step) for e in step * np.eye(3)], -1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_events_in_both_modes(name):
    program = PROGRAMS[name]
    expected = quotients(lambda p: all_of(program(scipys, p)), 1e-5)
    found = {
        mode: jacobian(lambda p: all_of(program(integrate, p)), mode=mode)
        for mode in ("reverse", "forward")
    }
    for mode in found:
        np.testing.assert_allclose(found[mode](POINT), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("inner", ["reverse", pytest.param("forward", marks=pytest.mark.long)])
def test_second_derivatives_of_the_time_of_an_event(inner):
    def found(p):
        event = counted(lambda t, y: y[0] - 0.2 * p[1], True)
        result = integrate.solve_ivp(
            lambda t, y: -0.1 * p[0] * y, (0.0, 9.0), p[2:], events=event, rtol=1e-6, atol=1e-9
        )
        return np.stack([result.t[-1], result.t_events[0][0], result.y_events[0][0, 0]])

    def exact(p):
        time = np.log(p[2] / (0.2 * p[1])) / (0.1 * p[0])
        return np.stack([time, time, 0.2 * p[1]])

    second = jacobian(jacobian(found, mode=inner))(POINT)
    np.testing.assert_allclose(second, jacobian(jacobian(exact))(POINT), rtol=1e-4, atol=1e-5)


def test_what_is_found_is_what_scipy_finds():
    def value(p):
        result = fall(integrate, p)
        seen.append(stop_gradient([result.t, result.y, *result.t_events, *result.y_events]))
        return result.t[-1]

    seen = []
    grad(value)(POINT)
    plain = fall(scipys, POINT)
    expected = [plain.t, plain.y, *plain.t_events, *plain.y_events]
    for one, other in zip(seen[0], expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_many_examples():
    times = [1.0, 2.0]  # without which lanes would have as many as the solver took steps
    found = grad(lambda p: swing(integrate, p, t_eval=times).t_events[0] @ [1.0, 2.0, 3.0])
    points = POINT + np.array([[0.0, 0.0, 0.0], [0.5, -0.1, 0.1]])
    one_by_one = [found(point) for point in points]
    np.testing.assert_allclose(vmap(found)(points), one_by_one, rtol=1e-6)


def test_the_solution_as_a_function_of_time_with_events():
    def found(module, p):
        result = fall(module, p, dense_output=True)
        return result.sol(0.5 * result.t_events[1])[:, 0]

    expected = quotients(lambda p: found(scipys, p), 1e-5)
    np.testing.assert_allclose(jacobian(lambda p: found(integrate, p))(POINT), expected, rtol=1e-6)


def test_an_event_that_jumps_is_refused():
    with pytest.raises(NotDifferentiableError, match="jumps or rests"):
        grad(
            lambda p: integrate.solve_ivp(
                lambda t, y: 3 * np.ones(1),
                (-1.0, 1.0),
                -3.0 * p,
                events=lambda t, y: np.sign(y[0]),
            ).t_events[0][0]
        )(np.ones(1))
