"""From a command line to its exit status: help without NumPy, misspelt commands, the module that
runs as a program.
"""

import subprocess
import sys

import pytest

from chainrules_command.entry import COMMANDS, main
from chainrules_py import __version__, default_rules
from chainrules_py.rules.rule import MODES
from chainrules_py.testing import samples
from processes import printed


def shell(*words, **options):
    command = [sys.executable, "-m", "chainrules_command", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_help_names_every_command_and_the_exit_statuses():
    done = shell("--help")
    assert done.returncode == 0
    assert [name for name in COMMANDS if f"  {name} " not in done.stdout] == []
    assert "exit status" in done.stdout


def test_no_words_ask_for_help():
    done = shell()
    assert (done.returncode, done.stdout) == (0, shell("--help").stdout)


def test_help_imports_no_array_library():
    program = (
        "import sys; from chainrules_command.entry import main\ntry: main(['--help'])\nexcept"
        " SystemExit: pass\n"
    )
    said = printed(program + "print({*sys.modules} & {'numpy', 'plum', 'rich'})")
    assert said.splitlines()[-1] == "set()"


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_with_an_example(name, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([name, "--help"])
    assert stopped.value.code == 0
    said = capsys.readouterr().out
    assert f"\n  chainrules {name} " in said
    assert "--json" in said


def test_the_version():
    done = shell("--version")
    assert (done.returncode, done.stdout) == (0, f"chainrules {__version__}\n")


@pytest.mark.parametrize(
    ("words", "status"),
    [(["explain", "math.sin"], 0), (["explain", "math.floor", "str"], 1), (["explain"], 2)],
)
def test_the_exit_status_reaches_the_shell(words, status):
    done = shell(*words)
    assert done.returncode == status, done.stdout + done.stderr


def test_a_reader_that_stops_early_is_no_error():
    command = f"{sys.executable} -m chainrules_command rules --json numpy. | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == ""


# --- Programs that fail ---

FAILING = {
    "raises.py": "raise ValueError('at import')",
    "syntax.py": "def f(x:",
    "leaves.py": "import sys\nsys.exit(3)",
    "lacks.py": "import numpy as np\nnp.no_such_thing.at_all",
    "needs.py": "from numpy import no_such_thing",
}
MODEL = """
import numpy as np
from chainrules_py import Array, Scalar, primitive, rrule


def raises(x):
    raise RuntimeError("of the model")


def leaves(x):
    raise SystemExit(4)


def recurses(x):
    return recurses(x)


def several(x):
    return [x, {"y": 1j * x}]


@primitive
def broken(x):
    return 2 * x


@rrule.register(broken)
def broken_rrule(x: Array | Scalar):
    raise ZeroDivisionError("of the rule")
"""
# files with a rule, and whose rule it is
WITH_RULES = {"a_failing_model": "broken", "a_rule_with_bad_samples": "f"}
RUNNING = ["show", "draw", "try", "explain"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, text in {**FAILING, "a_failing_model.py": MODEL}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    # the tables of rules and samples are those of all tests
    monkeypatch.setattr(samples, "_table", samples._table.copy())
    yield tmp_path
    for name in FAILING:
        sys.modules.pop(name.removesuffix(".py"), None)
    for name, primal in WITH_RULES.items():
        module = sys.modules.pop(name, None)
        for mode in MODES if module else ():
            default_rules.remove_all(mode, getattr(module, primal))


@pytest.mark.parametrize("file", FAILING)
@pytest.mark.parametrize("command", [*RUNNING, "check"])
def test_a_module_that_cannot_be_imported_is_said_in_a_few_lines(run, folder, command, file):
    words = [f"./{file}"] if command == "check" else [f"./{file}:f", "2.0"]
    done = run(command, *words)
    assert done.status == 2
    assert done.err.startswith(f"chainrules: {file.removesuffix('.py')}: ")
    assert "Traceback" not in done.err
    assert len(done.err.splitlines()) < 8


@pytest.mark.parametrize("command", ["show", "draw", "try"])
@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("raises", "RuntimeError: of the model"),
        ("recurses", "RecursionError"),
        ("broken", "of the rule"),
        ("leaves", "SystemExit(4)"),
    ],
)
def test_an_error_of_the_program_is_said_with_its_lines_alone(run, folder, command, function, said):
    done = run(command, f"./a_failing_model.py:{function}", "2.0")
    assert done.status in (1, 2)
    assert said in done.err + done.out
    assert "Traceback" not in done.err + done.out
    assert "chainrules_command" not in done.err + done.out
    assert len(done.err.splitlines()) < 14


def test_the_lines_of_the_program_that_led_to_an_error(run, folder):
    done = run("show", "./a_failing_model.py:raises", "2.0")
    number = MODEL.splitlines().index('    raise RuntimeError("of the model")') + 1
    assert f'a_failing_model.py:{number}: raise RuntimeError("of the model")' in done.err


def test_the_whole_traceback_on_request(run, folder):
    with pytest.raises(RuntimeError, match="of the model"):
        run("show", "./a_failing_model.py:raises", "2.0", "--traceback")


@pytest.mark.parametrize("command", RUNNING)
@pytest.mark.parametrize("name", ["", ":f", ".f", "numpy:", "numpy..sin", ".", "./", "numpy"])
def test_what_names_no_function(run, command, name):
    done = run(command, name, "2.0")
    assert done.status == 2
    assert "Traceback" not in done.err


def test_results_in_containers(run, folder):
    assert run("try", "./a_failing_model.py:several", "2.0").status == 0


def test_samples_that_fail_are_failures(run, folder):
    path = folder / "a_rule_with_bad_samples.py"
    path.write_text(
        "from chainrules_py import primitive, scalar_rule\nfrom chainrules_py.testing import"
        " samples_for\n\n\n@primitive\ndef f(x):\n    return 3 * x\n\n\nscalar_rule(f, 'x',"
        " '3')\n\n\n@samples_for(f)\ndef of_f(draw):\n    raise ValueError('no sample today')\n"
    )
    done = run("check", str(path))
    assert done.status == 1
    assert "ValueError: no sample today" in done.out
    assert run("check", "a_rule_with_bad_samples", "--dtype", "float999").status == 2
