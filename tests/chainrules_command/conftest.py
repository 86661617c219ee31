"""Commands as tests call them: in this process, with what they print and their exit status."""

import io
import json
import sys

import pytest

from chainrules_command.entry import main


class Ran:
    """What a command printed, and its exit status."""

    def __init__(self, words, err=None):
        out, self.progress = io.StringIO(), err or io.StringIO()
        self.status = main(words, out=out, err=self.progress)
        self.out, self.err = out.getvalue(), self.progress.getvalue()

    @property
    def data(self):
        return json.loads(self.out)


@pytest.fixture
def run():
    return lambda *words, err=None: Ran(list(words), err)


@pytest.fixture(autouse=True)
def forget_the_model():
    """The file of each test, by the one name that they have, is imported anew."""
    yield
    sys.modules.pop("a_model", None)


@pytest.fixture
def model(tmp_path):
    """A file with functions of a user, by its path."""
    path = tmp_path / "a_model.py"
    path.write_text(
        "import numpy as np\n\n\ndef loss(x, w):\n    return np.sum(w * np.sin(x))\n\n\n"
        "def norm(p):\n    return np.sqrt(np.sum(p['w'] ** 2))\n\n\nconstant = 3.0\n\n\n"
        "def alone():\n    return 1.0\n\n\ndef nothing(x):\n    pass\n\n\n"
        "def text(x):\n    return 'text'\n"
    )
    return str(path)
