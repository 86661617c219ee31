"""Programs that repeat some steps, and random ones."""

import numpy as np

X = np.linspace(0.1, 0.9, 12)
STEPS = 200


def euler(x):
    for _ in range(STEPS):
        x = x + 0.01 * np.sin(x)
    return np.sum(x)


def three_terms(x):
    before, now = x, np.cos(x)
    for _ in range(STEPS):
        before, now = now, np.sin(now) * 0.5 + before * 0.25
    return np.sum(now * before)


def four_terms(x):
    a, b, c = x, np.cos(x), np.sin(x)
    for _ in range(STEPS):
        a, b, c = b, c, np.tanh(a + c)
    return np.sum(a + b * c)


def entries(x):
    total = 0.0
    table = np.reshape(np.outer(x, x)[:, :10], (-1, 1))
    for k in range(STEPS):
        total = total + np.sin(table[k % 120]) * table[(STEPS - 1 - k) % 120] * x[k % 12]
    return np.sum(total)


def numbers(x):
    for k in range(STEPS):
        x = np.sin(x) * (1.0 + 1.0 / (k + 1)) + float(k % 3)
    return np.sum(x)


def read_later(x):
    kept = []
    for _ in range(STEPS):
        x = np.sin(x) + 0.1
        kept.append(x)
    return np.sum(kept[7] * kept[50] * kept[-1]) + np.sum(np.stack(kept[::10]))


def in_a_buffer(x):
    buffer = np.zeros_like(x)
    for k in range(STEPS):
        buffer[k % 12] = buffer[(k + 5) % 12] + np.sin(x[k % 12])
        buffer += 0.01
    return np.sum(buffer * buffer)


def questions(x):
    for _ in range(STEPS):
        x = np.sin(x) if x[0] > -5 else np.cos(x)
        x = x * 1.1
    return np.sum(x)


def nested(x):
    for _ in range(20):
        for _ in range(10):
            x = np.sin(x) * 1.01
        x = np.cos(x)
    return np.sum(x)


def two_states(x):
    y = x * 2
    for _ in range(STEPS):
        x, y = np.sin(x + y), np.cos(y - x)
    return np.sum(x * y)


def accumulated(x):
    weight, total = np.cos(x), np.zeros(x.size)
    for _ in range(STEPS):
        x = np.tanh(weight * x) * 0.9
        total = total + x * x
    return np.sum(total)


PROGRAMS = [
    *(euler, three_terms, four_terms, entries, numbers, read_later, in_a_buffer, questions),
    *(nested, two_states, accumulated),
]


def random_recurrence(rng):
    """A loop of a few random statements on a few variables, some of them writes."""
    names = ["a", "b", "c", "d"]
    statements = []
    for _ in range(rng.randint(2, 6)):
        x, y, z = (rng.choice(names) for _ in range(3))
        statements.append(
            rng.choice(
                [
                    f"{x} = np.sin({y})",
                    f"{x} = {y} * 0.5 + {z}",
                    f"{x} = {y} - 0.1 * {x}",
                    f"{x} = np.where({y} > {z}, {y}, {z})",
                    f"{x} = {y} * k / 50",
                    f"{x} = np.roll({y}, k % 3)",
                    f"{x}, {y} = {y}, {x}",
                    f"total = total + np.tanh({x}) * {y}[k % 12]",
                    f"if k == 70: {x} = np.cos({x})",
                    f"kept.append({x})",
                    f"{x} = {x} + kept[-1] if len(kept) > 3 else {x}",
                    f"{x} = np.tanh({x}); {x} += {y}",
                ]
            )
        )
    body = "\n        ".join(statements)
    source = f"""
def f(x):
    a, b, c, d = x, x * 2, np.sin(x), np.cos(x)
    total, kept = 0.0 * x, [x]
    for k in range(100):
        {body}
    total = total + a + b * c - d
    return np.sum(np.tanh(total)) + np.sum(kept[len(kept) // 2])
"""
    scope = {"np": np}
    exec(source, scope)
    return scope["f"], source
