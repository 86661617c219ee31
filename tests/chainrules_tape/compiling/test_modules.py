"""Saved modules run without the project, check themselves, and refuse what was not recorded."""

import subprocess
import sys

import numpy as np
import pytest

from chainrules_recorder.recording import record
from chainrules_tape import value_and_grad
from chainrules_tape.compiling.modules import module_text
from chainrules_tape.compiling.passes import optimized

WITHOUT_PACKAGES = """
import sys
class Refused:
    def find_spec(self, name, *_):
        if name.startswith("chainrules"):
            raise ImportError(name)
sys.meta_path.insert(0, Refused())
"""


def loss(params, x):
    hidden = np.tanh(x @ params["w"] + params["b"])
    if hidden[0, 0] > 5:
        return np.sum(x)
    return np.mean(hidden**2)


@pytest.fixture
def text():
    params = {"b": np.linspace(0.1, 0.3, 3), "w": np.linspace(-1, 1, 120).reshape(40, 3)}
    x = np.linspace(0, 1, 80).reshape(2, 40)
    program, value = record(value_and_grad(loss), (params, x))
    return module_text(
        optimized(program),
        name="loss_gradient",
        inputs=["params['b']", "params['w']", "x"],
        arguments={"params": params, "x": x},
        value=value,
        note="The gradient of a loss.",
    )


def run(text, tmp_path, more=""):
    file = tmp_path / "loss_gradient.py"
    file.write_text(WITHOUT_PACKAGES + text + more)
    return subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)


def test_it_checks_itself(text, tmp_path):
    done = run(text, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "loss_gradient gives what was recorded." in done.stdout


def test_it_finds_another_result(text, tmp_path):
    done = run(text.replace("np.tanh", "np.sin"), tmp_path)
    assert "AssertionError" in done.stderr


def test_it_refuses_other_shapes_and_other_answers(text):
    scope = {"__name__": "saved"}
    exec(text, scope)
    params = {"b": np.full(3, 0.1), "w": np.zeros((40, 3))}
    scope["loss_gradient"](params, np.ones((2, 40)))
    with pytest.raises(scope["GuardFailed"], match=r"x has to be float64\[2, 40\], and is int64"):
        scope["loss_gradient"](params, np.ones((2, 40), int))
    with pytest.raises(scope["GuardFailed"], match=r"x has to be float64\[2, 40\], and is float"):
        scope["loss_gradient"](params, np.ones((3, 40)))


def test_it_reads_like_a_module(text):
    assert text.startswith('"""loss_gradient, as straight NumPy code.\n\nThe gradient of a loss.')
    assert "def loss_gradient(params, x):" in text
    assert "    params_w = checked(params['w'], \"params['w']\", (40, 3), np.float64)" in text
    assert '# hidden = np.tanh(x @ params["w"] + params["b"])' in text
    assert "# test_modules.py:" in text
    imported = [line for line in text.splitlines() if line.startswith(("import", "from"))]
    assert imported == ["import base64", "import zlib", "import numpy as np"]


def test_values_that_are_fixed_are_compared():
    program, value = record(lambda x: x * 3, (np.ones(2),))
    text = module_text(
        program,
        name="f",
        inputs=["x"],
        arguments={"x": np.ones(2), "n": 3},
        value=value,
        fixed=[("n", 3)],
    )
    scope = {"__name__": "saved"}
    exec(text, scope)
    np.testing.assert_array_equal(scope["f"](np.ones(2), 3), value)
    with pytest.raises(scope["GuardFailed"], match="n has to be 3"):
        scope["f"](np.ones(2), 4)


def test_captured_arrays_are_constants_of_the_module():
    table = np.arange(3.0)
    program, value = record(lambda table, x: x * table, (table, np.ones(3)))
    text = module_text(
        program, name="f", inputs=[table, "x"], arguments={"x": np.ones(3)}, value=value
    )
    scope = {"__name__": "saved"}
    exec(text, scope)
    np.testing.assert_array_equal(scope["f"](np.ones(3)), table)
