"""Random programs of loops: they write into arrays, read views, tables and what they have kept.

A program is a function of a vector of four entries and of three parameters, which repeats a few
random statements 40 to 90 times. `W`, `T`, `T2` and `I`, a matrix and tables, are global.
"""

import random
import re
from typing import Any

import numpy as np

INNER = 25  # repetitions of a loop in a loop
NAMES = ("a", "b", "c", "d")
STATEMENTS = (
    *("{x} = np.sin({y})", "{x} = {y} * 0.5 + {z}", "{x} = W @ {y} * 0.3", "{x} = {y} - 0.1 * {x}"),
    "{x} = np.stack([{y}[{i}], {z}[{j}], {y}[0] * {z}[1], {x}[2]])",
    "{x} = np.array([{y}[{i}], {z}[{j}], {y}[0] * {z}[1], {x}[2]])",
    *("{x} = np.where({y} > {z}, {y}, {z})", "{x}, {y} = {y}, {x}"),
    *("{x} = {y} * T[k]", "{x} = {y} + T2[k, 1] * P[0]", "{x} = {y}[I[k % 5]] + {z}"),
    *("{x} = np.roll({y}, k % 3)", "total = total + np.sum(np.tanh({x}) * {y}[k % 4])"),
    *("if k == 30: {x} = np.cos({x})", "if {x}[0] > 5: {x} = {x} * 0.5"),
    *("kept.append({x})", "{x} = {x} + kept[-1] if len(kept) > 3 else {x}"),
    "kept.append(np.tanh({x}).copy()); {y} = kept[-1] * 0.5",
    *("{x} = np.tanh({x}); {x} += {y}", "{x} = np.tanh({x}); {x}[{i}] = {y}[{j}]"),
    "{x} = np.tanh({x}); {x}[1:3] += {y}[:2]",
    "buffer[k % 7] = {y}; {x} = buffer[(k + 3) % 7] * 0.5",
    "added += np.tanh({y}); {x} = added * 0.01 + {x}",
    "for m in range(3):\n            {x} = np.tanh({x} * P[m]) + {y} * 0.1",
    "{x} = np.sum({y}[:, None] * {z}[None, :], axis={axis}) * 0.2",
    "u = {x}[::-1]; {y} = u * {z}",
    "M = np.outer({x}, {y}); {z} = np.tanh(M @ {x}); total = total + M[1, 2] * 0.01",
    "{x} = np.linalg.solve(W + 3 * np.eye(4), np.tanh({y}))",
    "{x} = np.concatenate([{y}[1:], {z}[:1]])",
    "s = np.sum({x} * {y}) * 0.1; {z} = np.tanh({z} * s)",
    *("half = P * 0.5; {x} = np.tanh({x}) * half[1] + 0 * {y}", "{x} = 1 * {y} + 0.0"),
    *("{x} = {y}.reshape(2, 2).T.reshape(4) * 1.0", "{x} = np.tanh({y}) ** 2 + ({z} * 0.1) ** 1"),
)
# with rows that are another length in each repetition
UNEVEN = (
    *("line[k + 4] = line[: k + 4] @ L[: k + 4] * 0.1 + {x}[0]", "line[: k + 2] *= {x}[{i}]"),
    *("line[: k + 2] += 0.1 * {x}[1] * L[: k + 2]", "line[k:] = np.tanh(line[k:] * {y}[0])"),
    *("{x} = {x} + np.mean(line[2 : k + 5]) * 0.1", "{x} = {x} + np.full_like(line[:4], k) * {y}"),
    "line[1 : k + 3] = np.tanh(np.flip(line[: k + 2])) + np.zeros_like(line[: k + 2])",
    "grid[: k + 2, k] = line[1 : k + 3]; {x} = {x} + grid[k, : k + 2] @ L[: k + 2] * 0.1",
    "grown = np.concatenate([grown, {x}[:1]]); {y} = {y} * np.tanh(np.sum(grown * grown[::-1]))",
    "rows = np.outer(L[: k + 2], {x}); {y} = np.tanh(np.sum(rows[1:] * rows[:-1], axis=0))",
    "u = np.tanh(line[: k + 2, None] + {x}); line[: k + 2] = np.max(u, axis=1); {y} = u[k]",
    "u = line[: k + 1].reshape(1, k + 1) * 1.0; {x} = {x} + np.std(u) + u[0, k]; kept.append(u[0])",
    "line[: 2 * k : 2] = line[1 : 2 * k : 2]; {x} = {x} * np.cos(line[k])",
    "line[:k] = np.where(line[:k] > {x}[0], {y}[0], np.cumsum(line[:k]) * 0.01)",
)
ENDS = (
    *("pass", "total = total * buffer[2][1]", "a += b; a[0] = 0.5", "kept[-1] = kept[-1] * a[0]"),
    "total = total + np.sum([k * 1.0 for k in kept][-1])",
)
RESULTS = (
    *3 * ("np.tanh(total) + np.sum(np.tanh(a + b * c - d)) + np.sum(kept[len(kept) // 2])",),
    *("np.sum(np.tanh(np.stack(kept))) + np.sum(buffer)", "np.sum(np.tanh(added)) + total"),
)
SOURCE = """
def f(x, P):
    a, b, c, d = x, x * 2, np.sin(x), np.cos(x)
    total, kept, added = 0.0, [x], np.zeros_like(x)
    buffer, line = np.zeros((7, 4)) + x, np.zeros(200) + x[0]
    grid, grown = np.zeros((100, 100)) + x[1], x[:2]
    for k in range({count}):
        {body}
    {end}
    return {result}
"""


class LoopingProgram:
    """A random program, its source and its module; `is_real` says that it has a gradient.

    Of one that is `nested`, some of the statements are a loop of their own, and of one that is
    `uneven` some read and write rows of another length in each repetition.
    """

    def __init__(self, seed: int, is_nested: bool = False, is_uneven: bool = False) -> None:
        choose = random.Random(seed)
        count = choose.choice([9, 14, 20] if is_nested else [40, 60, 90])
        self.is_real = choose.random() > 0.15
        returned = choose.choice(RESULTS)
        body = [statement(choose) for _ in range(choose.randint(2, 7))]
        if is_nested:
            body.insert(choose.randrange(len(body)), inner_loop(choose))
        if is_uneven:
            body[3:] = [statement(choose, UNEVEN) for _ in range(choose.randint(1, 3))]
        self.source = SOURCE.format(
            count=count,
            body="\n        ".join(body),
            end=choose.choice(ENDS),
            result=returned if self.is_real else f"kept, a, added, buffer, {returned}",
        )
        numbers = np.random.default_rng(seed)
        self.module: dict[str, Any] = {
            "np": np,
            "W": numbers.normal(size=(4, 4)),
            "T": numbers.normal(size=(max(count, INNER), 4)),
            "T2": numbers.normal(size=(max(count, INNER), 2)),
            "I": [numbers.integers(0, 4, 4) for _ in range(5)],
            "L": numbers.normal(size=200) * 0.3,
        }
        self.args = numbers.normal(size=4), numbers.normal(size=3)
        exec(self.source, self.module)
        self.function = self.module["f"]

    def change(self, number: int) -> None:
        """Change what the program is called with, or reads: each time something else."""
        x, parameters = self.args
        self.args = x * 1.1, parameters * 0.9
        if number == 1:
            self.module["W"] = self.module["W"] * 1.1
        if number == 2:
            self.module["T"] *= 0.9
            self.module["I"][1][:] = [3, 3, 1, 0]


def inner_loop(choose: random.Random) -> str:
    """Write a random loop in the body: its statements read by its own number, or by that around."""
    number = choose.choice(["k", "n", "n", "n"])
    written = [
        re.sub(r"\bk\b", number, statement(choose)).replace("\n", "\n    ")
        for _ in range(choose.randint(1, 4))
    ]
    head = f"for n in range({choose.choice([11, 16, INNER])}):"
    return "\n            ".join([head, *written])


def statement(choose: random.Random, forms: tuple[str, ...] = STATEMENTS) -> str:
    """A random statement of the body."""
    x, y, z = (choose.choice(NAMES) for _ in range(3))
    i, j, axis = choose.randrange(4), choose.randrange(4), choose.randrange(2)
    return choose.choice(forms).format(x=x, y=y, z=z, i=i, j=j, axis=axis)
