"""Initial value problems, y' = f(t, y, *args): forward sensitivities and the continuous adjoint.

    forward   s' = f_y s + f_args args_dot,    s(t0) = y0_dot - f(t0) t0_dot     solved beside y
    reverse   a' = -f_y^H a,  q' = -f_args^H a,  back from t1; at each time with a cotangent, a jumps by it
              y0_bar = a(t0), args_bar = q(t0), t0_bar = -<a(t0), f(t0)>

Both are initial value problems of the same solver with the same tolerances, and are differentiated as such for higher orders.
Back in time y is not solved again, which is unstable where it decays: it is the solver's interpolant. At higher order, where
that would be a constant, it is a cubic through the values and slopes at `PARTS` points per step.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from chainrules_py.config import HasForwardMode, HasReverseMode, RuleConfig, frule_via_ad, rrule_via_ad
from chainrules_py.entry_points import Pullback
from chainrules_py.errors import NotDifferentiableError, OptionError
from chainrules_py.ignoring import ignore_derivatives
from chainrules_py.makers import primitive
from chainrules_py.makers.joint import array_of
from chainrules_py.projection import ProjectTo
from chainrules_py.registry import default_rules
from chainrules_py.rulesets.formulas.coordinates import Coordinates, namespace_of, pair
from chainrules_py.rulesets.formulas.implicit_functions import unconverged
from chainrules_py.structure import fields
from chainrules_py.tangents import NO_TANGENT, ZERO, is_zero, materialize, with_entries
from chainrules_py.tangents.plain_containers import tangents_of_parts

rrule, frule = default_rules.rrule, default_rules.frule
Slope = Callable[..., Any]
Options = dict[str, Any]
PARTS = 2
INHERITED = ("method", "rtol", "atol", "max_step")  # options that sensitivities are solved with, too


@primitive
def solve(fun: Slope, t_span: Any, y0: Any, t_eval: Any, args: Any, **options: Any) -> Any:
    """What `solve_ivp` returns; raises where it did not come to the end."""
    held = {"fun": fun, "args": args, "jac": options.get("jac")}
    if callable(held["jac"]):
        options = {**options, "jac": lambda t, y: held["jac"](t, y, *held["args"])}
    result = integrate.solve_ivp(lambda t, y: held["fun"](t, y, *held["args"]), t_span, y0, t_eval=t_eval, **options)
    held.clear()  # SciPy's solver is a cycle that the garbage collector finds late, and must not hold an interpolant till then
    if not result.success:
        raise unconverged(integrate.solve_ivp, result.message)
    return result


def inherited(options: Options) -> Options:
    """The options of a problem that is solved beside this one."""
    return {name: value for name, value in options.items() if name in INHERITED}


def slope(t: Any, y: Any, fun: Slope, args: Any) -> Any:
    """f(t, y, *args), as an array where it is a list."""
    return array_of(fun(t, y, *args))


# --- Forward ---


@frule.register(solve)
def solve_frule(
    dots: tuple[Any, ...],
    fun: Any,
    t_span: Any,
    y0: Any,
    t_eval: Any,
    args: Any,
    *,
    config: HasForwardMode,
    **options: Any,
) -> tuple[Any, Any]:
    """The sensitivity along the tangents of all arguments, solved beside y."""
    result = solve(fun, t_span, y0, t_eval, args, **options)
    return result, with_entries(type(result), sensitivities(config, dots, fun, t_span, y0, t_eval, args, options, result))


def sensitivities(
    config: RuleConfig,
    dots: tuple[Any, ...],
    fun: Any,
    t_span: Any,
    y0: Any,
    t_eval: Any,
    args: Any,
    options: Options,
    result: Any,
) -> dict[str, Any]:
    """The tangents of the times and of the values at them."""
    fun_dot, span_dot, y0_dot, times_dot, args_dot = dots
    first_dot, last_dot = (tangents_of_parts(span_dot, (0, 1)).get(k, ZERO) for k in (0, 1))
    state, given = Coordinates(result.y[:, 0]), Coordinates((fun, args))
    start = first_value(result, y0)

    def beside(t: Any, z: Any, fun: Any, args: Any, vector: Any) -> Any:
        y, y_dot = state.tangent(z[: state.size]), state.tangent(z[state.size :])
        moved = (y_dot, *given.tangent(vector))
        value, value_dot = frule_via_ad(config, moved, lambda y, fun, args: slope(t, y, fun, args), y, fun, args)
        return joined([state.vector(value), state.vector(value_dot)])

    vector, moved = given.vector(pair(fun_dot, args_dot)), y0_dot
    if not is_zero(first_dot):
        moved = moved - slope(t_span[0], start, fun, args) * first_dot
    begin, times = joined([state.vector(start), state.vector(moved)]), ignore_derivatives(result.t)
    scale = largest(begin[state.size :], vector)
    begin, vector = joined([begin[: state.size], begin[state.size :] / scale]), vector / scale
    y_dot = ZERO
    if scale != 1.0 or not (is_zero(moved) and is_zero(fun_dot) and is_zero(args_dot)):
        z = solve(beside, t_span, begin, times, (fun, args, vector), **doubled(options, state.size)).y
        y_dot = as_columns(state, scale * z[state.size :])
    if t_eval is None and not (is_zero(first_dot) and is_zero(last_dot)):
        ends = np.zeros((2, times.size))
        ends[0, 0] = ends[1, -1] = 1.0
        times_dot = first_dot * ends[0] + last_dot * ends[1]
    if not is_zero(times_dot):
        y_dot = y_dot + slopes(result, fun, args) * times_dot
    return {"t": times_dot, "y": y_dot}


def doubled(options: Options, size: int) -> Options:
    """The options of a problem with two states of this size one after the other: tolerances for each entry are there twice."""
    own = inherited(options)
    for name in own.keys() & {"rtol", "atol"}:
        if np.ndim(own[name]):
            own[name] = np.tile(own[name], 2 * size // np.size(own[name]))
    return own


def first_value(result: Any, y0: Any) -> Any:
    """The initial value, of the dtype of the solution."""
    return y0 if y0.dtype == result.y.dtype else y0.astype(result.y.dtype)


def slopes(result: Any, fun: Any, args: Any) -> Any:
    """The derivative of the solution at its times, a column for each."""
    columns = [slope(result.t[k], result.y[:, k], fun, args) for k in range(result.y.shape[1])]
    return namespace_of(columns).stack(columns, axis=-1)


def as_columns(state: Coordinates, z: Any) -> Any:
    """Values in real coordinates, a column for each time, as what the solution is."""
    return z[: state.size // 2] + 1j * z[state.size // 2 :] if state.is_complex else z


def joined(parts: list[Any]) -> Any:
    """Vectors one after the other."""
    return namespace_of(parts).concatenate(parts)


def largest(*vectors: Any) -> float:
    """The largest entry, as a constant by which a linear problem is scaled; 1 where all are zero."""
    return max([float(np.max(np.abs(ignore_derivatives(v)), initial=0.0)) for v in vectors]) or 1.0


# --- Reverse ---

Curve = Callable[..., Any]


@rrule.register(solve)
def solve_rrule(
    fun: Any,
    t_span: Any,
    y0: Any,
    t_eval: Any,
    args: Any,
    *,
    config: HasReverseMode,
    needs: tuple[bool, ...],
    **options: Any,
) -> tuple[Any, Pullback]:
    """The continuous adjoint, along the solver's interpolant."""
    if config.is_active((fun, t_span, y0, t_eval, args)):
        result, curve, nodes = traced_solution(config, fun, t_span, y0, t_eval, args, options)
    else:
        result, nodes = solve(fun, t_span, y0, t_eval, args, **{**options, "dense_output": True}), ()
        curve, result.sol = result.sol, None

    def solve_pullback(result_bar: Any) -> tuple[Any, ...]:
        own = tangents_of_parts(result_bar, fields(result))
        y_bar, by_times = materialize(own.get("y", ZERO), like=result.y), own.get("t", ZERO)
        if needs[1] or needs[3]:
            along = slopes(result, fun, args)
            xp = namespace_of([along, y_bar])
            by_times = by_times + xp.sum(xp.real(xp.conj(along) * y_bar), axis=0)
        a, (fun_bar, args_bar) = adjoint(config, fun, t_span[0], args, options, result, y_bar, curve, nodes)
        span_bar: Any = NO_TANGENT
        if needs[1]:
            state = Coordinates(result.y[:, 0])
            first_bar = -(a @ state.vector(slope(t_span[0], first_value(result, y0), fun, args)))
            ends = (first_bar, ZERO) if t_eval is not None else (first_bar + by_times[0], by_times[-1])
            span_bar = pair(*[bar if Coordinates(end).size else NO_TANGENT for bar, end in zip(ends, t_span, strict=True)])
        times_bar = by_times if needs[3] else NO_TANGENT
        y0_bar = ProjectTo(y0)(Coordinates(result.y[:, 0]).tangent(a)) if Coordinates(y0).size else NO_TANGENT
        return fun_bar, span_bar, y0_bar, times_bar, args_bar

    return result, solve_pullback


def adjoint(
    config: RuleConfig,
    fun: Any,
    start: Any,
    args: Any,
    options: Options,
    result: Any,
    y_bar: Any,
    curve: Curve,
    nodes: Any,
) -> tuple[Any, Any]:
    """The cotangent of the initial value, in real coordinates, and those of the function and its arguments."""
    state, given = Coordinates(result.y[:, 0]), Coordinates((fun, args))
    times, size, scale = ignore_derivatives(result.t), state.size, largest(y_bar)

    def back(t: Any, z: Any, fun: Any, args: Any, nodes: Any) -> Any:
        _, pull = rrule_via_ad(config, lambda y, fun, args: slope(t, y, fun, args), curve(t, *nodes), fun, args)
        y_bar, fun_bar, args_bar = pull(state.tangent(z[:size]))
        return -joined([state.vector(y_bar), given.vector(pair(fun_bar, args_bar))])

    def moved(z: Any, here: float, there: float) -> Any:
        if here == there:
            return z
        if not np.isfinite(ignore_derivatives(z)).all():  # which SciPy refuses to begin with
            return z + np.nan
        tolerances = weighted(options, size, given.size)
        return solve(back, (here, there), z, np.array([there]), (fun, args, nodes), **tolerances).y[:, -1]

    z, here, none = np.zeros(size + given.size), None, np.zeros(given.size)
    for k in reversed(stops(config, y_bar)):
        z = z if here is None else moved(z, here, times[k])
        z, here = z + joined([state.vector(y_bar[:, k]) / scale, none]), times[k]
    z = scale * (z if here is None else moved(z, here, ignore_derivatives(start)))
    return z[:size], given.tangent(z[size:])


def stops(config: RuleConfig, y_bar: Any) -> list[int]:
    """Where a cotangent arrives; with traced ones everywhere, because a zero may have a derivative."""
    count = y_bar.shape[1]
    return list(range(count)) if config.is_active((y_bar,)) else [k for k in range(count) if y_bar[:, k].any()]


def weighted(options: Options, state: int, parameters: int) -> Options:
    """The options of an adjoint problem: the mean error of the state and that of the parameters count the same.

    Runge-Kutta methods look at the root of the mean square over all entries, in which many parameters would hide the state.
    """
    own = inherited(options)
    if own.get("method", "RK45") in ("RK23", "RK45", "DOP853"):
        total = state + parameters
        shares = np.repeat(np.sqrt([2 * state / total, 2 * parameters / total]), [state, parameters])
        own["rtol"], own["atol"] = (
            np.min(own.get(name, default)) * shares for name, default in (("rtol", 1e-3), ("atol", 1e-6))
        )
    else:
        own["atol"] = np.min(own.get("atol", 1e-6))
    return own


def traced_solution(
    config: RuleConfig, fun: Any, t_span: Any, y0: Any, t_eval: Any, args: Any, options: Options
) -> tuple[Any, Curve, Any]:
    """The solution where it is differentiated more than once, and a cubic through it: its function, values and slopes."""
    if config.is_active((t_span, t_eval)):
        got = "t_span or t_eval that is differentiated twice, or beside something else"
        instead = "solve over a fixed interval, y' = (t1 - t0) f(t0 + s (t1 - t0), y) for s from 0 to 1"
        raise NotDifferentiableError("scipy.integrate.solve_ivp", got, instead, primal=integrate.solve_ivp, argument="t_span")
    steps = solve(*ignore_derivatives((fun, t_span, y0, None, args)), **options).t
    wanted = steps if t_eval is None else t_eval
    forward = 1 if t_span[1] >= t_span[0] else -1
    between = steps[:-1, None] + np.diff(steps)[:, None] * np.arange(PARTS) / PARTS
    grid = np.unique(forward * np.concatenate([between.ravel(), steps[-1:], wanted]))
    whole = solve(fun, t_span, y0, forward * grid, args, **options)
    result = type(whole)({**whole, "t": wanted, "y": whole.y[:, np.searchsorted(grid, forward * wanted)]})

    def curve(t: Any, values: Any, along: Any) -> Any:
        k = int(np.clip(np.searchsorted(grid, forward * t) - 1, 0, grid.size - 2))
        width = grid[k + 1] - grid[k]
        s = (forward * t - grid[k]) / width
        left = values[:, k] * (1 + 2 * s) + along[:, k] * (forward * width * s)
        right = values[:, k + 1] * (3 - 2 * s) - along[:, k + 1] * (forward * width * (1 - s))
        return left * (1 - s) ** 2 + right * s**2

    return result, curve, (whole.y, slopes(whole, fun, args))


# --- SciPy's functions ---


def as_solve(*args: Any, **options: Any) -> tuple[tuple[Any, ...], Options]:
    """A call of `solve_ivp` as one of ours."""
    given = inspect.signature(integrate.solve_ivp).bind(*args, **options).arguments
    given |= given.pop("options", {})
    for name, instead in (
        ("events", "find the time of an event by a root finder on the solution, and solve up to it"),
        ("dense_output", "pass the times in t_eval"),
    ):
        if given.pop(name, None):
            where, got = f"scipy.integrate.solve_ivp: {name}", "the option has no rule"
            raise OptionError(where, got, instead, primal=integrate.solve_ivp, option=name, value=name)
    fun, t_span, y0, t_eval = given.pop("fun"), given.pop("t_span"), array_of(given.pop("y0")), given.pop("t_eval", None)
    own = given.pop("args", None)
    constants = {name: ignore_derivatives(value) for name, value in given.items()}
    return (fun, tuple(t_span), y0, None if t_eval is None else array_of(t_eval), () if own is None else tuple(own)), constants


default_rules.alias(integrate.solve_ivp, solve, as_solve)


@primitive
def odeint(func: Any, y0: Any, t: Any, args: Any, **options: Any) -> Any:
    """The solution at times t, a row for each, by LSODA."""
    return integrate.odeint(func, y0, t, args, **options)


ODEINT_OPTIONS = frozenset({"rtol", "atol", "tfirst", "hmax", "h0", "hmin", "mxstep", "mxhnil", "mxordn", "mxords", "tcrit"})


def as_odeint(*args: Any, **options: Any) -> tuple[tuple[Any, ...], Options]:
    """A call of `odeint` as one of ours."""
    given = inspect.signature(integrate.odeint).bind(*args, **options).arguments
    func, y0, t, own = given.pop("func"), array_of(given.pop("y0")), array_of(given.pop("t")), given.pop("args", ())
    for name in given.keys() - ODEINT_OPTIONS - {"Dfun", "col_deriv", "ml", "mu"}:
        where, got = f"scipy.integrate.odeint: {name}", "the option has no rule"
        raise OptionError(where, got, "leave it out", primal=integrate.odeint, option=name, value=given[name])
    start = y0 if y0.ndim else namespace_of([y0]).reshape(y0, (1,))
    return (func, start, t, own if isinstance(own, tuple) else (own,)), {
        name: ignore_derivatives(value) for name, value in given.items()
    }


def solved_by_lsoda(
    func: Any, y0: Any, t: Any, args: Any, *, tfirst: bool = False, rtol: Any = None, atol: Any = None, **options: Any
) -> Any:
    """What `odeint` computes, by `solve_ivp`."""

    def fun(t: Any, y: Any, func: Any, *args: Any) -> Any:
        return func(t, y, *args) if tfirst else func(y, t, *args)

    tolerances = {"rtol": 1.49e-8 if rtol is None else rtol, "atol": 1.49e-8 if atol is None else atol}
    return solve(fun, (t[0], t[-1]), y0, t, (func, *args), method="LSODA", **tolerances).y.T


@rrule.register(odeint)
def odeint_rrule(func: Any, y0: Any, t: Any, args: Any, *, config: HasReverseMode, **options: Any) -> tuple[Any, Pullback]:
    """The adjoint along the solution by `solve_ivp`."""
    y = odeint(func, y0, t, args, **options)

    def odeint_pullback(y_bar: Any) -> tuple[Any, ...]:
        bars: tuple[Any, ...] = rrule_via_ad(config, solved_by_lsoda, func, y0, t, args, **options)[1](y_bar)
        return bars

    return y, odeint_pullback


@frule.register(odeint)
def odeint_frule(
    dots: tuple[Any, ...], func: Any, y0: Any, t: Any, args: Any, *, config: HasForwardMode, **options: Any
) -> tuple[Any, Any]:
    """The sensitivity along the solution by `solve_ivp`."""
    y = odeint(func, y0, t, args, **options)
    return y, frule_via_ad(config, dots, solved_by_lsoda, func, y0, t, args, **options)[1]


default_rules.alias(integrate.odeint, odeint, as_odeint)
