"""Gradients by JAX, CasADi and PyTensor, as their users write these programs."""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

from benchmarks.contenders.by_python import LeftOut, program_of
from benchmarks.contenders.known import CELLS, SIDE, Known, point
from benchmarks.engines import prepare_jax
from benchmarks.programs.chain import FACTOR, LENGTH
from benchmarks.programs.loops import KALMAN, LOOK, STEPS, LoopProgram, runge_kutta_step
from benchmarks.programs.program import Gradient, Program


def by_jax(known: Known) -> Gradient:
    """`jax.jit`, on JAX's arrays, with `lax.scan` for loops; asdex for sparse Jacobians."""
    import jax

    jax.config.update("jax_enable_x64", True)
    if known.loop is None:
        program = program_of(known)
        return prepare_jax(program, *program.inputs())
    parameters = tuple(map(jax.numpy.asarray, known.loop.parameters()))
    every = tuple(range(len(parameters)))
    step = jax.jit(jax.value_and_grad(known.loop.in_jax, argnums=every))
    return lambda: jax.block_until_ready(step(*parameters))


def by_asdex(known: Known) -> Gradient:
    """Sparse Jacobians of JAX's functions, compiled."""
    import asdex
    import jax

    jax.config.update("jax_enable_x64", True)
    if known.system is None:
        jax.jit(jax.numpy.sin)(1.0)  # its first compilation ever is the price of no program
        raise LeftOut("sparse Jacobians only")
    w = jax.numpy.asarray(point())
    derivative = jax.jit(asdex.jacobian(partial(known.system, jax.numpy), w))
    return lambda: jax.block_until_ready(derivative(w))


# CasADi has matrices of two dimensions, and multiplies columns by `dot`


def casadi_formulas() -> dict[str, Callable[..., Any]]:
    """Each program that has matrices and columns alone, as a function of parameters and data."""
    import casadi as ca

    def sines(x: Any) -> Any:
        for _ in range(LENGTH):
            x = ca.sin(x) * FACTOR
        return ca.sum1(x)

    def logistic(weights: Any, feature: Any, label: Any) -> Any:
        margin = label * (feature * weights[0] + weights[1])
        size = ca.fabs(margin)
        return ca.sum1(0.5 * (size - margin) + ca.log(1.0 + ca.exp(-size))) / label.shape[0]

    def perceptron(*all_of_it: Any) -> Any:
        w1, b1, w2, b2, w3, b3, x, target = all_of_it
        ones = ca.DM.ones(x.shape[0])
        h1 = ca.tanh(x @ w1 + ones @ b1.T)
        h2 = ca.tanh(h1 @ w2 + ones @ b2.T)
        error = h2 @ w3 + ones @ b3.T - target
        return ca.sumsqr(error) / (error.shape[0] * error.shape[1])

    def runge_kutta(y: Any, p: Any) -> Any:
        columns = SimpleNamespace(stack=lambda parts: ca.vertcat(*parts))
        for _ in range(STEPS):
            y = runge_kutta_step(columns, (y, p), y, None)
        return ca.sumsqr(y)

    def kalman(transition: Any, noise: Any, error: Any, rows: Any) -> Any:
        mean, covariance, total, look = ca.DM.zeros(4), ca.DM.eye(4), 0.0, ca.DM(LOOK)
        for k in range(STEPS):
            mean = transition @ mean
            covariance = transition @ covariance @ transition.T + noise @ noise.T
            spread = look @ covariance @ look.T + error @ error.T
            innovation = rows[k, :].T - look @ mean
            gain = ca.solve(spread, look @ covariance).T
            total += ca.dot(innovation, ca.solve(spread, innovation)) + ca.log(ca.det(spread))
            mean, covariance = mean + gain @ innovation, covariance - gain @ look @ covariance
        return total

    def network(recurrent: Any, into: Any, bias: Any, out: Any, rows: Any) -> Any:
        hidden, total = ca.DM.zeros(8), 0.0
        for k in range(STEPS):
            hidden = ca.tanh(recurrent @ hidden + into @ rows[k, :].T + bias)
            total += (ca.dot(out, hidden) - 1) ** 2
        return total

    return {
        "100 sines of 100 numbers": sines,
        "logistic regression, 100,000 rows": logistic,
        "perceptron, batch of 32": perceptron,
        "ODE, 200 Runge-Kutta steps": runge_kutta,
        "Kalman filter, 200 steps": kalman,
        "recurrent network, 200 steps": network,
    }


def by_casadi(known: Known) -> Gradient:
    """A function of CasADi's virtual machine: of scalars for loops and Jacobians, else of matrices."""
    import casadi as ca

    if known.system is not None:
        w = ca.SX.sym("w", 2 * CELLS)
        derivative = ca.Function("derivative", [w], [ca.jacobian(casadi_rates(w), w)])
        inputs = [ca.DM(point())]
        return lambda: derivative(*inputs)
    formula = casadi_formulas().get(known.name)
    if formula is None:
        raise LeftOut("it has arrays of three dimensions, which CasADi has not")
    parameters, data = program_of(known).inputs()
    kind = ca.MX if known.loop is None else ca.SX
    symbols = [kind.sym(f"p{k}", *parameter.shape) for k, parameter in enumerate(parameters)]
    y = formula(*symbols, *map(ca.DM, data))
    gradients = [ca.gradient(y, symbol) for symbol in symbols]
    function = ca.Function("gradient", symbols, [y, *gradients])
    inputs = list(map(ca.DM, parameters))

    def run() -> Any:
        value, *found = function(*inputs)
        return value, found

    return run


def casadi_rates(w: Any) -> Any:
    """The rates of the chemical clock, cell by cell."""
    import casadi as ca

    def neighbours(x: Any) -> Any:
        grid = ca.reshape(x, SIDE, SIDE)
        down = ca.vertcat(grid[-1, :], grid[:-1, :]) + ca.vertcat(grid[1:, :], grid[0, :])
        right = ca.horzcat(grid[:, -1], grid[:, :-1]) + ca.horzcat(grid[:, 1:], grid[:, 0])
        return ca.vec(down + right - 4.0 * grid)

    u, v = w[:CELLS], w[CELLS:]
    clock = u * u * v
    du = 1.0 + clock - 4.4 * u + 0.1 * neighbours(u)
    return ca.vertcat(du, 3.4 * u - clock + 0.1 * neighbours(v))


def by_pytensor(known: Known) -> Gradient:
    """A function of PyTensor's in its own mode, with `scan` for loops."""
    import pytensor
    import pytensor.tensor as pt

    if known.loop is KALMAN:
        raise LeftOut("Numba compiles it for 70 s")
    program = program_of(known)
    parameters, data = program.inputs()
    symbols = [pt.tensor(f"p{k}", shape=p.shape, dtype="float64") for k, p in enumerate(parameters)]
    y = pytensor_value(known, program, symbols, data)
    function = pytensor.function(symbols, [y, *pytensor.grad(y, symbols)])

    def run() -> Any:
        value, *found = function(*parameters)
        return value, found

    return run


def pytensor_value(known: Known, program: Program, symbols: Any, data: Any) -> Any:
    """The value of a program as an expression."""
    import pytensor.tensor as pt

    if known.loop is not None:
        return pytensor_loop(known.loop, symbols)
    xp = SimpleNamespace(**{name: getattr(pt, name) for name in PYTENSOR_NAMES}, amax=pt.max)
    return program.objective(xp, symbols, data)


PYTENSOR_NAMES = (
    *("sin", "exp", "log", "tanh", "abs", "sum", "mean", "square", "matmul", "swapaxes"),
    "concatenate",
)


def pytensor_loop(loop: LoopProgram, symbols: Any) -> Any:
    """A loop by `scan`, whose state is a list."""
    import pytensor
    import pytensor.tensor as pt

    xp = SimpleNamespace(
        **{name: getattr(pt, name) for name in ("stack", "sum", "tanh", "zeros", "eye", "linalg")},
        asarray=pt.as_tensor,
    )
    begin = loop.begin(xp, symbols)
    is_single = not isinstance(begin, tuple)

    def step(*given: Any) -> Any:
        row, state = (None, given) if loop.rows is None else (given[0], given[1:])
        state = loop.step(xp, symbols, state[0] if is_single else state, row)
        return [state] if is_single else list(state)

    states = pytensor.scan(
        step,
        sequences=None if loop.rows is None else [pt.constant(loop.rows)],
        outputs_info=[
            pt.as_tensor(part, dtype="float64") for part in ([begin] if is_single else begin)
        ],
        n_steps=STEPS,
        return_updates=False,
        return_list=True,
    )
    last = [state[-1] for state in states]
    return loop.end(xp, last[0] if is_single else last)
