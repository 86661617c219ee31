"""`python -m benchmarks.gpu_table`: the speed statements on a CUDA device, all programs and all
engines, as one table.

Each engine runs in a process of its own, so that none holds memory which another needs, and one
that fails takes only its own column with it. A figure is the median time of a value and a gradient,
the device idle before and after. Engines must agree on the numbers before their times are compared.
With ``--dry`` nothing needs a device: NumPy stands in for CuPy, sizes are small.

    python -m benchmarks.gpu_table                       # everything, in double precision, as Markdown
    python -m benchmarks.gpu_table --dtype float32
    python -m benchmarks.gpu_table --program chain --engine ours --engine "by hand"
    python -m benchmarks.gpu_table --dry
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from math import isclose
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.gpu_engines import (
    BY_HAND,
    ENGINES,
    OURS,
    TORCH,
    TORCH_COMPILED,
    Call,
    Prepared,
)
from benchmarks.gpu_programs import LENGTH, PROGRAMS, DeviceProgram

Row = dict[str, Any]  # program, size, and seconds, value, norm; or error
Column = list[Row]

LAUNCH = "launch"  # the pseudo-program of a single operation
LIMITS = {BY_HAND: 1.05, TORCH: 1.00, TORCH_COMPILED: 1.20}
LAUNCH_LIMIT = 0.5
ROUND_SECONDS = 0.05  # each round of calls takes at least as long


def sizes(program: DeviceProgram, dry: bool) -> tuple[int, ...]:
    """The sizes that are measured."""
    return (program.small,) if dry else program.sizes


def seconds(call: Call, engine: Prepared, dry: bool, rounds: int = 7) -> float:
    """The median time of a warm call."""
    call()
    engine.wait()
    calls = 1
    while True:
        times = [round_seconds(call, engine, calls) / calls for _ in range(1 if dry else rounds)]
        if dry or median(times) * calls > ROUND_SECONDS or calls >= 256:
            return median(times)
        calls *= 4


def round_seconds(call: Call, engine: Prepared, calls: int) -> float:
    """How long some calls take together."""
    start = perf_counter()
    for _ in range(calls):
        call()
    engine.wait()
    return perf_counter() - start


def measured(program: DeviceProgram, size: int, engine: Prepared, dtype: str, dry: bool) -> Row:
    """One program at one size: its time, its value and the length of its gradient; or what went
    wrong.
    """
    row: Row = {"program": program.name, "size": size}
    try:
        call = engine.call(program, tuple(array.astype(dtype) for array in program.inputs(size)))
        results = call()
        engine.wait()  # a stream of its own may compute them
        value, gradient = map(engine.to_host, results)
        row |= {"value": float(value), "norm": float(np.linalg.norm(np.ravel(gradient)))}
        del results, gradient
        row["seconds"] = seconds(call, engine, dry)
    except Exception as error:
        row = {
            "program": program.name,
            "size": size,
            "error": f"{type(error).__name__}: {error}"[:200],
        }
    engine.release()
    return row


def launch(engine: Prepared, dtype: str, dry: bool) -> Row:
    """The time of one operation on 1000 numbers, by hand: what a launch costs."""
    one = DeviceProgram(
        LAUNCH,
        lambda xp, x: xp.sin(x),
        lambda xp, x: (xp.sin(x), None),
        lambda size: (np.ones(size),),
        (),
        1,
    )
    call = engine.call(one, (np.ones(1000, dtype),))
    return {"program": LAUNCH, "size": 1000, "seconds": seconds(call, engine, dry)}


def column(name: str, chosen: list[str], dtype: str, dry: bool) -> Iterator[Row]:
    """Measure one engine: first a description of it, then a row per program and size."""
    engine = ENGINES[name].prepare(dry)
    yield {"about": engine.about}
    if name == BY_HAND:
        yield launch(engine, dtype, dry)
    for program in PROGRAMS:
        if not chosen or program.name in chosen:
            yield from (measured(program, size, engine, dtype, dry) for size in sizes(program, dry))


def column_of_process(name: str, options: argparse.Namespace) -> Column:
    """Measure one engine in a process of its own; a crash keeps the rows that were found before."""
    if missing := ENGINES[name].missing(options.dry):
        return [{"error": f"{', '.join(missing)} is not installed"}]
    words = [
        sys.executable,
        "-m",
        "benchmarks.gpu_table",
        "--child",
        name,
        "--dtype",
        options.dtype,
    ]
    words += [word for program in options.program for word in ("--program", program)] + [
        "--dry"
    ] * options.dry
    process = subprocess.run(words, capture_output=True, text=True)
    rows = [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]
    if process.returncode:
        rows.append(
            {
                "error": (
                    process.stderr.strip().splitlines() or [f"it ended with {process.returncode}"]
                )[-1][:200]
            }
        )
    return rows


# The table


def by_program(rows: Column) -> dict[tuple[str, int], Row]:
    """The rows of a column by program and size."""
    return {(row["program"], row["size"]): row for row in rows if "program" in row}


def agrees(ours: Row, theirs: Row, dtype: str) -> bool:
    """Tell whether two engines computed the same value and a gradient of the same length."""
    tolerance = 1e-8 if dtype == "float64" else 1e-3
    return all(
        isclose(ours[key], theirs[key], rel_tol=tolerance, abs_tol=tolerance)
        for key in ("value", "norm")
    )


def cell(ours: Row | None, theirs: Row | None, limit: float | None, dtype: str) -> str:
    """Our time in units of another's; the reason, where there is none."""
    if ours is None or theirs is None:
        return "not run"
    if "error" in ours or "error" in theirs:
        return "failed"
    if not agrees(ours, theirs, dtype):
        return "**disagrees**"
    ratio = ours["seconds"] / theirs["seconds"]
    return f"{ratio:.3f}" if limit is None or ratio <= limit else f"**{ratio:.3f}**"


def table(columns: dict[str, Column], dtype: str) -> list[str]:
    """Our time per program and size, and in units of each other engine's; what misses a limit at
    the largest size is bold.
    """
    found = {name: by_program(rows) for name, rows in columns.items()}
    peers = [name for name in found if name != OURS]
    lines = ["| program | size | ours, ms | " + " | ".join(f"/ {name}" for name in peers) + " |"]
    lines.append("|---|" + "---|" * (len(peers) + 2))
    for program in PROGRAMS:
        of_program = sorted(
            {size for rows in found.values() for name, size in rows if name == program.name}
        )
        for size in of_program:
            row = found.get(OURS, {}).get((program.name, size))
            limits = LIMITS if size == of_program[-1] else {}
            cells = [
                cell(row, found[name].get((program.name, size)), limits.get(name), dtype)
                for name in peers
            ]
            time = f"{row['seconds'] * 1e3:.4g}" if row is not None and "seconds" in row else "–"
            lines.append(f"| {program.name} | {size:,} | {time} | {' | '.join(cells)} |")
    return lines


def overhead(columns: dict[str, Column]) -> str | None:
    """The cost of an operation of the tape above the gradient by hand, in units of one launch."""
    ours, by_hand = by_program(columns.get(OURS, [])), by_program(columns.get(BY_HAND, []))
    key, one = (
        ("chain", min((size for name, size in ours if name == "chain"), default=0)),
        (
            LAUNCH,
            1000,
        ),
    )
    if not all(
        "seconds" in rows.get(k, {}) for rows, k in ((ours, key), (by_hand, key), (by_hand, one))
    ):
        return None
    above = (ours[key]["seconds"] - by_hand[key]["seconds"]) / (2 * LENGTH)
    ratio = above / by_hand[one]["seconds"]
    figures = f"{above * 1e6:.2f} us an operation, {by_hand[one]['seconds'] * 1e6:.2f} us a launch"
    return (
        f"overhead of the tape at size {key[1]:,}: {figures}, ratio {ratio:.2f} (limit"
        f" {LAUNCH_LIMIT})"
    )


def report(columns: dict[str, Column], dtype: str) -> str:
    """Everything that was found, as Markdown."""
    abouts = [
        f"* {name}: {row['about']}"
        for name, rows in columns.items()
        for row in rows
        if "about" in row
    ]
    errors = [
        f"* {name}, {row.get('program', 'as a whole')} {row.get('size', '')}: {row['error']}"
        for name, rows in columns.items()
        for row in rows
        if "error" in row
    ]
    limits = ", ".join(f"{limit} of {name}" for name, limit in LIMITS.items())
    notes = [
        f"value and gradient, {dtype}; limits at the largest size of each program: {limits}",
        overhead(columns),
    ]
    parts = [abouts, table(columns, dtype), [note for note in notes if note], errors]
    return "\n\n".join("\n".join(part) for part in parts if part)


def options_of(words: list[str] | None) -> argparse.Namespace:
    """The options of the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu_table", description="The speed statements on a CUDA device."
    )
    parser.add_argument(
        "--dry",
        action="store_true",
        help="on the processor, at small sizes: whether it runs, not how fast",
    )
    parser.add_argument("--dtype", default="float64", choices=("float64", "float32"))
    parser.add_argument(
        "--program", action="append", default=[], choices=[program.name for program in PROGRAMS]
    )
    parser.add_argument("--engine", action="append", default=[], choices=list(ENGINES))
    parser.add_argument("--child", choices=list(ENGINES), help=argparse.SUPPRESS)
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    """Print the table; as a child, one line per row of one column."""
    options = options_of(words)
    if options.child:
        for row in column(options.child, options.program, options.dtype, options.dry):
            print(json.dumps(row), flush=True)
        return 0
    columns = {name: column_of_process(name, options) for name in options.engine or ENGINES}
    print(report(columns, options.dtype))
    return int(any("error" in row for rows in columns.values() for row in rows))


if __name__ == "__main__":
    sys.exit(main())
