"""`chainrules compile` writes the gradient of a function into a file that checks itself."""

import runpy
import sys
from pathlib import Path

import numpy as np

from chainrules_command.arguments import values_of
from chainrules_tape import value_and_grad
from processes import printed

SPECS = ("float64[3]", "float64[2,3]")


def test_the_file_has_the_gradient(run, model, tmp_path):
    path = tmp_path / "gradient.py"
    done = run("compile", f"{model}:loss", *SPECS, "-o", str(path))
    assert done.status == 0
    args = [1.5 * x for x in values_of(SPECS)]  # not those that were recorded
    value, slopes = runpy.run_path(str(path))["value_and_grad"](*args)
    expected, expected_slopes = value_and_grad(sys.modules["a_model"].loss, (0, 1))(*args)
    assert np.isclose(value, expected, rtol=1e-13)
    assert all(map(np.allclose, slopes, expected_slopes))


def test_the_file_checks_itself_without_this_package(run, model, tmp_path):
    path = tmp_path / "gradient.py"
    run("compile", f"{model}:loss", *SPECS, "-o", str(path), "--derivative", "grad")
    blocked = "import sys; sys.modules.update(chainrules_py=None, chainrules_tape=None); "
    program = f"{blocked}import runpy; runpy.run_path({str(path)!r}, run_name='__main__')"
    assert "gives what was recorded" in printed(program)


def test_the_program_is_not_overwritten(run, model, tmp_path):
    text = Path(model).read_text()
    link = tmp_path / "link.txt"
    link.symlink_to(model)
    for path in (model, link):
        done = run("compile", f"{model}:loss", *SPECS, "-o", str(path))
        assert done.status == 2
        assert "another file" in done.err
        assert Path(model).read_text() == text


def test_what_is_not_compiled(run, tmp_path):
    path = tmp_path / "a_model.py"
    path.write_text("def f(x):\n    return x * x\n")
    done = run("compile", f"{path}:f", "float64[3]", "-o", str(tmp_path / "gradient.py"))
    assert done.status == 1
    assert "--derivative plain" in done.err
    assert "call the function" not in done.err
