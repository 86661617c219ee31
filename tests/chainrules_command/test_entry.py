"""From a command line to its exit status: help without NumPy, misspelt commands, the module that runs as a program."""

import subprocess
import sys

import pytest

from chainrules_command.entry import COMMANDS, main
from chainrules_py import __version__


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
    program = "import sys; from chainrules_command.entry import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    done = subprocess.run(
        [sys.executable, "-c", program + "print({*sys.modules} & {'numpy', 'plum', 'rich'})"], capture_output=True
    )
    assert done.stdout.decode().splitlines()[-1] == "set()", done.stderr


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


def test_a_misspelt_command(run):
    done = run("explian", "numpy.sin")
    assert done.status == 2
    assert "did you mean explain?" in done.err
    assert done.out == ""


def test_a_command_that_resembles_none(run):
    assert all(name in run("zzz").err for name in COMMANDS)


@pytest.mark.parametrize(
    ("words", "status"), [(["explain", "math.sin"], 0), (["explain", "math.floor", "str"], 1), (["explain"], 2)]
)
def test_the_exit_status_reaches_the_shell(words, status):
    done = shell(*words)
    assert done.returncode == status, done.stdout + done.stderr


def test_a_reader_that_stops_early_is_no_error():
    command = f"{sys.executable} -m chainrules_command rules --json numpy. | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == ""


def test_without_rich_a_table_says_what_to_install_and_json_is_written():
    program = (
        "import sys; sys.modules['rich.table'] = None; from chainrules_command.entry import main; sys.exit(main(sys.argv[1:]))"
    )
    asked = [sys.executable, "-c", program, "rules", "numpy.sinh"]
    table, data = (subprocess.run([*asked, *more], capture_output=True, text=True) for more in ([], ["--json"]))
    assert table.returncode == 2
    assert 'pip install "chainrules-py[cli]"' in table.stderr
    assert data.returncode == 0
    assert "numpy.sinh" in data.stdout
