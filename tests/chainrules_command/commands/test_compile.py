"""`chainrules compile` writes the gradient of a function into a file that checks itself."""

import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np

from chainrules_command.arguments import values_of
from chainrules_tape import grad, value_and_grad

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
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "gives what was recorded" in done.stdout, done.stderr


def test_the_file_notices_that_it_was_changed(run, model, tmp_path):
    path = tmp_path / "gradient.py"
    run("compile", f"{model}:loss", *SPECS, "-o", str(path))
    text = path.read_text()
    assert text.count("np.sin(") >= 1
    path.write_text(text.replace("np.sin(", "np.sinh("))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
    assert done.returncode != 0


def test_show_prints_it(run, model):
    done = run("show", f"{model}:loss", *SPECS, "--compiled")
    assert "def value_and_grad(x, w):" in done.out


def test_the_file_has_to_be_named(run, model):
    done = run("compile", f"{model}:loss", *SPECS)
    assert done.status == 2
    assert done.err == (
        "chainrules: -o: there is no file to write to; write -o gradient.py; chainrules show prints"
        " a program\n"
    )


def test_what_cannot_be_written(run, model, tmp_path):
    done = run("compile", f"{model}:loss", *SPECS, "-o", str(tmp_path / "absent" / "file.py"))
    assert done.status == 2
    assert "a folder that exists" in done.err


def test_the_gradient_alone(run, model, tmp_path):
    path = tmp_path / "gradient.py"
    run("compile", f"{model}:loss", *SPECS, "-o", str(path), "--derivative", "grad")
    args = [1.5 * x for x in values_of(SPECS)]
    found = runpy.run_path(str(path))["grad"](*args)
    assert all(map(np.allclose, found, grad(sys.modules["a_model"].loss, (0, 1))(*args)))


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
