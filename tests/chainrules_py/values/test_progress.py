"""How far a long computation is stands on a terminal, and nowhere else."""

import io
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from chainrules_py.values import progress
from chainrules_tape import jacobian, vmap

X = np.arange(6.0)


class Terminal(io.StringIO):
    """A standard error at which somebody looks."""

    def isatty(self):
        return True


def product(x):
    return np.sin(x) * x


PROGRAMS = {
    "chunks": lambda: jacobian(product, max_bytes=100)(X),
    "examples": lambda: vmap(product, chunk_size=2)(np.ones((6, 3))),
}


def written(monkeypatch, program, stream, patience=-1.0):
    monkeypatch.setattr(progress, "PATIENCE", patience)
    monkeypatch.setattr(sys, "stderr", stream)
    program()
    return stream.getvalue()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_terminal_shows_what_is_done_and_ends_empty(monkeypatch, name):
    text = written(monkeypatch, PROGRAMS[name], Terminal())
    done = [int(number) for number in re.findall(r"\r(\d+) of 6 ", text)]
    assert len(done) > 1
    assert done == sorted(done)
    assert text.endswith("\r\x1b[K")


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_written_elsewhere_nor_at_first(monkeypatch, name):
    assert written(monkeypatch, PROGRAMS[name], io.StringIO()) == ""
    assert written(monkeypatch, PROGRAMS[name], Terminal(), patience=60.0) == ""


def test_the_line_goes_where_an_error_ends_it(monkeypatch):
    def broken():
        with progress.Progress("calls", 3) as shown:
            shown.at(1)
            raise KeyError

    stream = Terminal()
    with pytest.raises(KeyError):
        written(monkeypatch, broken, stream)
    assert stream.getvalue() == "\r1 of 3 calls, 0 s\x1b[K\r\x1b[K"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
def test_a_process_on_a_terminal(tmp_path):
    """A Jacobian of some seconds on a pseudo-terminal."""
    ours, theirs = os.openpty()
    program = (
        "import time, numpy as np\nfrom chainrules_tape import jacobian\n"
        "jacobian(lambda x: (time.sleep(0.4), x * x)[1], max_bytes=100)(np.ones(7))\n"
    )
    subprocess.run([sys.executable, "-c", program], stderr=theirs, check=True)
    os.close(theirs)
    text = os.read(ours, 10000).decode()
    os.close(ours)
    assert re.search(r"\r\d+ of 7 directions, \d+ s", text)
    assert text.endswith("\r\x1b[K")
