"""`python -m benchmarks.gpu_sums`: when a sum over leading axes is faster in two steps, on a CUDA
device.

The thresholds of `chainrules_cupy.sums` are set by this table: a row is a number of results, a
column a number of entries, a figure the time of the sum in two steps in units of CuPy's one step.
The other tables have the time by the number of slices, and that of a sum of products.
"""

import argparse
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from statistics import median
from typing import Any

if find_spec("cupy"):  # asv imports this where there is none
    import cupy

    from chainrules_cupy import sums

ENTRIES = tuple(2**k for k in (14, 16, 17, 18, 20, 22, 24))
RESULTS = (1, 8, 32, 128, 512, 1024, 2048, 4096, 16384)
SLICES = (32, 64, 128, 256, 512, 1024)
ROUNDS, CALLS = 7, 20


def seconds(calls: list[Callable[[], Any]]) -> list[float]:
    """The median time of each of some calls, which take turns."""
    for call in calls:
        call()
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, found in zip(calls, times, strict=True):
            found.append(one_call(call))
    return [median(found) for found in times]


def one_call(call: Callable[[], Any]) -> float:
    """The time of one call on the device: launches that wait for the host are part of it."""
    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    cupy.cuda.Device().synchronize()
    start.record()
    for _ in range(CALLS):
        call()
    end.record()
    end.synchronize()
    return float(cupy.cuda.get_elapsed_time(start, end)) / 1e3 / CALLS


def rows_of(entries: int, results: int, dtype: str) -> Any:
    """An array of so many entries, in rows of so many results."""
    return cupy.random.default_rng(0).standard_normal((entries // results, results)).astype(dtype)


def ratios(dtype: str) -> Iterator[str]:
    """The sum in two steps in units of one step."""
    yield "| results | " + " | ".join(f"{entries:,} entries" for entries in ENTRIES) + " |"
    yield "|---|" + "---|" * len(ENTRIES)
    for results in RESULTS:
        cells = []
        for entries in ENTRIES:
            if entries // results < 2 * sums.slices_for(results):
                cells.append("–")
                continue
            rows = rows_of(entries, results, dtype)
            one, two = seconds(
                [
                    lambda rows=rows: cupy.sum(rows, axis=0),
                    lambda rows=rows: sums.sum_of_rows(cupy, rows),
                ]
            )
            cells.append(f"{two / one:.2f} ({one * 1e6:.0f} us)")
        yield f"| {results:,} | {' | '.join(cells)} |"


def by_slices(dtype: str, entries: int) -> Iterator[str]:
    """The time of a sum by the number of slices, in microseconds."""
    yield f"| results, of {entries:,} entries | " + " | ".join(map(str, SLICES)) + " |"
    yield "|---|" + "---|" * len(SLICES)
    for results in RESULTS:
        rows = rows_of(entries, results, dtype)
        calls = [
            lambda rows=rows, slices=slices: in_slices(rows, slices)
            for slices in SLICES
            if rows.shape[0] >= 2 * slices
        ]
        times = [f"{time * 1e6:.1f}" for time in seconds(calls)]
        yield f"| {results:,} | {' | '.join(times + ['–'] * (len(SLICES) - len(times)))} |"


def in_slices(rows: Any, slices: int) -> Any:
    """The sum of rows, first within so many slices."""
    return cupy.sum(
        cupy.sum(rows.reshape(slices, rows.shape[0] // slices, rows.shape[1]), axis=1), axis=0
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_sums")
    parser.add_argument("--dtype", default="float64", choices=("float64", "float32"))
    dtype = parser.parse_args().dtype
    for part in (ratios(dtype), by_slices(dtype, 2**20), by_slices(dtype, 2**24)):
        print("\n".join(part), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
