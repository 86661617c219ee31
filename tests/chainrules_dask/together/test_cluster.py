"""Gradients on a cluster of two processes: data larger than their memory, and one of them killed on
the way.
"""

import os
import re
import signal
from pathlib import Path

import dask.array as da
import numpy as np
import pytest

from chainrules_tape import value_and_grad
from small_programs import logistic

distributed = pytest.importorskip("distributed")

# Dask warns of memory, sockets, and of itself
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
LIMIT = 300 * 2**20  # of each process, in bytes
WIDTH, ROWS = 20, 25_000


def data(chunks):
    """Rows and labels that are made where they are needed."""
    rng = da.random.default_rng(0)
    x = rng.normal(size=(chunks * ROWS, WIDTH), chunks=(ROWS, WIDTH))
    return x, (rng.random(chunks * ROWS, chunks=ROWS) > 0.5) * 1.0


def by_numpy(w, x, y):
    """The value and the gradient, one chunk after the other."""
    value, slope = 0.5 * np.sum(w**2), w.copy()
    for rows, labels in zip(x.blocks, y.blocks, strict=True):
        rows, labels = (
            rows.compute(scheduler="synchronous"),
            labels.compute(scheduler="synchronous"),
        )
        z = rows @ w
        value += np.sum(np.logaddexp(0.0, z) - labels * z)
        slope += rows.T @ (1 / (1 + np.exp(-z)) - labels)
    return value, slope


def peak():
    """The largest resident set that this process had, in bytes."""
    # a process begins with the peak of the one that made it
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) * 1024


@pytest.fixture
def client():
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit=LIMIT, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def test_data_four_times_larger_than_the_memory(client):
    x, y = data(chunks=4 * LIMIT // (ROWS * WIDTH * 8) + 1)
    assert x.nbytes > 4 * LIMIT
    w = np.random.default_rng(1).normal(size=WIDTH)
    processes, before = client.run(os.getpid), client.run(peak)
    value, slope = (
        part.result() for part in client.compute(list(value_and_grad(logistic)(w, x, y)))
    )
    after = client.run(peak)
    assert client.run(os.getpid) == processes  # none was killed for its memory, and started again
    print("peak resident set of each process in MiB, before and after:")
    for address, size in after.items():
        print(f"{before[address] / 2**20:.0f} -> {size / 2**20:.0f}")
    assert max(after.values()) < LIMIT
    expected = by_numpy(w, x, y)
    np.testing.assert_allclose(value, expected[0], rtol=1e-11)
    np.testing.assert_allclose(slope, expected[1], rtol=1e-10)


def test_a_process_that_is_killed_changes_nothing(client):
    x, y = data(chunks=60)
    w = np.random.default_rng(1).normal(size=WIDTH)
    found = client.compute(list(value_and_grad(logistic)(w, x, y)))
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
    value, slope = (part.result(timeout=120) for part in found)
    expected = by_numpy(w, x, y)
    np.testing.assert_allclose(value, expected[0], rtol=1e-11)
    np.testing.assert_allclose(slope, expected[1], rtol=1e-10)
