"""Try each call of the lists as a whole program in JAX and in PyTorch, in both modes, and compiled,
next to the tape, and write what came out as a table: ``make test-engines-packages``.

The packages are those of ``requirements.txt``, in a folder of their own, which is the first
argument; further arguments name some of them, and then no table is written.
"""

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import torch
from attempts import (
    DIFFERS,
    EVERY_CALL,
    RIGHT,
    calls_that_run,
    first_word,
    judged,
    root_of,
    site_of_packages,
    table,
    version_of,
)
from torch.autograd import forward_ad

from chainrules_foreign_code.report import leaves
from chainrules_jax import JaxError, own_errors, to_jax
from chainrules_tape import as_primitive, compiled, jvp, seen_through, value_and_grad
from chainrules_torch import to_torch

PAGE = Path(__file__).parents[2] / "docs" / "packages_in_engines.md"
HEAD = """# Packages in JAX and PyTorch, and compiled

The calls of [the packages that were tried](packages.md), each as one operation of JAX or PyTorch:

    program = as_primitive(call, seen_through=[package])
    jax.jit(jax.grad(lambda *x: total(to_jax(program)(*x))))        and jax.jit(jax.jvp(...))
    total(to_torch(program)(*x)).backward()                         and torch.autograd.forward_ad
    compiled(value_and_grad(lambda *x: total(call(*x))))

`total` is a weighted sum of all arrays and numbers that the call returns, in the engine's own operations. *Right* means that
the value and the gradient, or the derivative along a direction, agree with central differences.
`make test-engines-packages` writes this page.

"""
DECLARED = """
JAX needs the shapes of a result in advance, and finds them by a call with made-up numbers. For {count} calls, these numbers are
out of range, so the shapes were passed: `to_jax(program, shapes=...)`.
"""
BY_PACKAGE = """
## Where an engine has fewer than the tape

"""
BY_CALL = """
## What is right on the tape, and not in an engine

"""


def reverse_on_tape(call):
    """The value and the gradient, by the tape."""
    with seen_through(*call.packages):
        return value_and_grad(call.total, argnums=tuple(range(len(call.points))))(*call.points)


def forward_on_tape(call):
    """The value and the derivative along the direction, by the tape."""
    with seen_through(*call.packages):
        value, dot = jvp(call.total, tuple(call.points), tuple(direction(call.points)))
    return value, [np.asarray(dot)]


def reverse_in_jax(call):
    """The value and the gradient, by compiled JAX."""

    def gradient(total):
        compiled = jax.jit(jax.value_and_grad(total, argnums=tuple(range(len(call.points)))))
        return jax.block_until_ready(compiled(*call.points))

    value, bars = of_total_in_jax(call, gradient)
    return value, list(map(np.asarray, bars))


def forward_in_jax(call):
    """The value and the derivative along the direction, by compiled JAX."""

    def derivative(total):
        compiled = jax.jit(lambda points, dots: jax.jvp(total, points, dots))
        return jax.block_until_ready(compiled(tuple(call.points), tuple(direction(call.points))))

    value, dot = of_total_in_jax(call, derivative)
    return value, [np.asarray(dot)]


def reverse_in_torch(call):
    """The value and the gradient, by PyTorch."""
    points = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in call.points]
    value = total_of(to_torch(whole_program(call)), torch)(*points)
    value.backward()
    return value.detach(), [np.zeros(x.shape) if x.grad is None else x.grad.numpy() for x in points]


def forward_in_torch(call):
    """The value and the derivative along the direction, by PyTorch."""
    points = [torch.tensor(x, dtype=torch.float64) for x in call.points]
    dots = [torch.tensor(dot, dtype=torch.float64) for dot in direction(call.points)]
    with forward_ad.dual_level():
        duals = map(forward_ad.make_dual, points, dots)
        y = total_of(to_torch(whole_program(call)), torch)(*duals)
        value, dot = forward_ad.unpack_dual(y)
        return value, [np.zeros(()) if dot is None else dot.numpy()]


def reverse_compiled(call):
    """The value and the gradient, by a program that was recorded at other points."""
    with seen_through(*call.packages):
        step = compiled(value_and_grad(call.total, argnums=tuple(range(len(call.points)))))
        for scale in (1e-8, 1e-8, 1e-9, 1e-7, 1e-10, 0.0):
            found = step(*[x * (1.0 + scale) for x in call.points])
    if not step.count_of_programs():
        raise NotImplementedError(step.reasons)
    return found


ON_TAPE = {"tape, gradient": reverse_on_tape, "tape, forward": forward_on_tape}
IN_ENGINES = {
    "JAX, `jit(grad)`": reverse_in_jax,
    "JAX, `jit(jvp)`": forward_in_jax,
    "PyTorch, `backward`": reverse_in_torch,
    "PyTorch, forward": forward_in_torch,
    "`compiled`": reverse_compiled,
}
WHAT = ON_TAPE | IN_ENGINES


def whole_program(call):
    """The call as one operation, which returns all arrays and numbers of the result."""

    def program(*values):
        return list(leaves(call.program(*values)))

    return as_primitive(program, seen_through=call.packages)


def of_total_in_jax(call, differentiate):
    """Differentiate the weighted sum of the result, in JAX's operations.

    Where made-up numbers do not tell the shapes of what it returns, JAX is told.
    """
    program = whole_program(call)
    try:
        with own_errors():
            return differentiate(total_of(to_jax(program), jnp))
    except JaxError as error:
        if "shapes=" not in str(error):
            raise
    declared.add((call.module, call.expression))
    found = [jax.ShapeDtypeStruct(np.shape(y), np.result_type(y)) for y in program(*call.points)]
    with own_errors():
        return differentiate(total_of(to_jax(program, shapes=lambda *values: found), jnp))


declared = set()  # the calls whose shapes JAX had to be told


def total_of(program, xp):
    """The weighted sum of the result of a program, in the operations of its engine."""
    return lambda *values: weighted(map(xp.asarray, program(*values)), xp)


def weighted(parts, xp):
    """The sum of all entries, each with the weight that `weighted_sum` has for it."""
    total, count = 0.0, 0
    for part in parts:
        size = int(np.prod(part.shape))
        weights = xp.asarray(np.cos(1.0 + np.arange(count, count + size)).reshape(part.shape))
        is_complex = "complex" in str(part.dtype)
        entries = xp.real(part) + 0.3 * xp.imag(part) if is_complex else part
        total = total + xp.sum(entries * weights)
        count += size
    return total


def direction(points):
    """A direction of which no two entries are alike, in the size of the point."""

    def along(x, k):
        numbers = np.cos(2.0 + k + 3 * np.arange(np.size(x))).reshape(np.shape(x))
        return numbers * np.maximum(np.abs(x), 1e-3)

    return [along(np.asarray(x), k) for k, x in enumerate(points)]


def outcomes(call):
    """What a call comes to, by column."""

    def outcome(name, differentiate):
        along = None if differentiate in REVERSES else direction(call.points)
        return judged(call, lambda: differentiate(call), along)

    return {name: outcome(name, differentiate) for name, differentiate in WHAT.items()}


REVERSES = {reverse_on_tape, reverse_in_jax, reverse_in_torch, reverse_compiled}


def like(name):
    """The column of the tape that a column is compared with: that of its mode."""
    return next(own for own in ON_TAPE if (WHAT[own] in REVERSES) == (WHAT[name] in REVERSES))


def of_tape(name, every):
    """How many calls are right on the tape, and how many of these in an engine; how many differ."""
    on_tape = [found for found in every if found[like(name)] == RIGHT]
    right = sum(found[name] == RIGHT for found in on_tape)
    differing = sum(first_word(found[name]) == DIFFERS for found in on_tape)
    return len(on_tape), right, differing


def summary(every):
    """The first table: all calls together."""
    columns = [
        "engine and mode",
        "right on the tape",
        "right",
        "of these",
        "differs",
        "refused with",
    ]
    rows = []
    for name in IN_ENGINES:
        count, right, differing = of_tape(name, every)
        errors = Counter(
            first_word(found[name])
            for found in every
            if found[like(name)] == RIGHT and first_word(found[name]) not in (RIGHT, DIFFERS)
        )
        refused = ", ".join(f"{error} ({times})" for error, times in errors.most_common())
        rows.append([name, count, right, f"{right / count:.1%}", differing, refused])
    return table(columns, rows)


def by_package(results):
    """The second table: packages of which an engine has fewer calls right than the tape."""
    rows = []
    for root in sorted(results, key=str.lower):
        right = {name: sum(found[name] == RIGHT for found in results[root]) for name in WHAT}
        if any(right[name] < right[like(name)] for name in IN_ENGINES):
            rows.append([version_of(root), len(results[root]), *right.values()])
    return BY_PACKAGE + table(["package", "calls", *WHAT], rows) if rows else ""


def prepare(folder):
    """Make the packages importable, in each process."""
    site_of_packages(folder)
    jax.config.update("jax_enable_x64", True)
    torch.set_num_threads(1)


def outcomes_of_package(root):
    """What the calls of a package come to, what is missing in an engine, and of how many calls
    JAX was told the shapes.
    """
    results, missing = [], []
    declared.clear()
    for call in calls_that_run([root]):
        found = outcomes(call)
        results.append(found)
        for name in IN_ENGINES:
            if found[like(name)] == RIGHT != found[name]:
                where = f"`{call.expression}` of `{call.module}`"
                print(f"{name}, {where}: {found[name][:600]}", flush=True)
                missing.append(f"* {name}, {where}: {first_word(found[name])}")
    return results, missing, len(declared)


def main():
    site_of_packages(sys.argv[1])
    roots = sys.argv[2:] or sorted({root_of(module) for module, *_ in EVERY_CALL})
    context = get_context("spawn")
    with ProcessPoolExecutor(None, context, prepare, sys.argv[1:2]) as processes:
        found = dict(zip(roots, processes.map(outcomes_of_package, roots), strict=True))

    results = {root: one for root, (one, _, _) in found.items() if one}
    missing = [line for _, lines, _ in found.values() for line in lines]
    every = [one for ones in results.values() for one in ones]
    print(summary(every))
    if not sys.argv[2:]:
        by_name = BY_CALL + "\n".join(missing) + "\n" if missing else ""
        told = DECLARED.format(count=sum(count for _, _, count in found.values()))
        PAGE.write_text(HEAD + summary(every) + told + by_package(results) + by_name)
    counts = [of_tape(name, every) for name in IN_ENGINES]
    return any(right < 0.9 * count or differing for count, right, differing in counts)


if __name__ == "__main__":
    sys.exit(main())
