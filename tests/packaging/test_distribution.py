"""The wheel holds every import package, typed and importable without the checkout; the editable
install is the checkout.
"""

import json
import os
import subprocess
import sys
import sysconfig
import venv
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

from chainrules_py import __version__
from source_trees import ADAPTERS, ROOT, SETTINGS, SHIPPED

pytest.importorskip(
    "hatchling", reason="building without network needs hatchling in this environment (group: test)"
)

USE = """
import json, sys
import chainrules_numpy, chainrules_py, numpy
y, pullback = chainrules_py.rrule(numpy.multiply, numpy.arange(3.0), numpy.ones((2, 3)))
a_bar, b_bar = pullback(numpy.ones((2, 3)))
print(json.dumps([chainrules_py.__file__, chainrules_numpy.__file__, a_bar.tolist(), sys.prefix]))
"""


def pip(*arguments: str | Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def fresh_environment(directory: Path) -> Path:
    """A virtual environment that sees the third-party packages of this one, but not its editable
    install.
    """
    venv.create(directory, symlinks=True, with_pip=False)
    # A directory named in a .pth file is searched for packages; the .pth files inside it are not
    # read.
    site_packages = next(directory.glob("lib/python*/site-packages"))
    (site_packages / "third_party.pth").write_text(sysconfig.get_path("purelib"))
    return directory / "bin" / "python"


def install(python: Path, *what: str | Path) -> None:
    # --ignore-installed: pip must not touch the installation it finds beside it.
    pip(
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-build-isolation",
        "--ignore-installed",
        *what,
    )


def use(python: Path, cwd: Path) -> tuple[Path, Path, list[float], Path]:
    """Run `USE`; where the packages came from, what they computed, and the environment's prefix."""
    done = subprocess.run(
        [python, "-I", "-W", "error", "-c", USE],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    core, numpy_backend, a_bar, prefix = json.loads(done.stdout)
    return Path(core), Path(numpy_backend), a_bar, Path(prefix)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", directory, ROOT)
    (path,) = directory.iterdir()
    return path


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    return ZipFile(wheel).namelist()


@pytest.fixture(scope="module")
def metadata(wheel: Path, names: list[str]) -> Message:
    (name,) = [name for name in names if name.endswith(".dist-info/METADATA")]
    return Parser().parsestr(ZipFile(wheel).read(name).decode())


@pytest.mark.parametrize("package", SHIPPED, ids=lambda package: package.name)
def test_package_is_typed_and_complete_in_wheel(package: Path, names: list[str]) -> None:
    sources = {
        str(path.relative_to(package.parent))
        for path in package.rglob("*")
        if path.suffix in (".py", ".toml", ".txt")
    }
    assert {*sources, f"{package.name}/py.typed"} - set(names) == set()


def test_wheel_has_nothing_else(names: list[str]) -> None:
    top = {name.split("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {
        package.name for package in SHIPPED
    }
    assert [name for name in names if name.endswith("licenses/LICENSE")]


@pytest.mark.long
def test_the_samples_are_a_wheel_of_their_own(tmp_path: Path) -> None:
    package = ROOT / "tests/samples/chainrules_samples"
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, package.parent)
    (path,) = tmp_path.iterdir()
    names = {name for name in ZipFile(path).namelist() if ".dist-info/" not in name}
    assert path.name.startswith(f"chainrules_samples-{__version__}-")
    assert names == {
        str(source.relative_to(package.parent))
        for source in [*package.rglob("*.py"), package / "py.typed"]
    }


def test_the_emulated_device_is_a_wheel_of_its_own(tmp_path: Path) -> None:
    sources = ROOT / "tests/emulated_cuda/src"
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, sources.parent)
    (path,) = tmp_path.iterdir()
    archive = ZipFile(path)
    code = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert code == {
        str(source.relative_to(sources))
        for source in sources.rglob("*")
        if source.suffix in (".py", ".c", ".h")
    }
    assert not [name for name in code if b"chainrules" in archive.read(name)]
    (points,) = [name for name in archive.namelist() if name.endswith("/entry_points.txt")]
    assert archive.read(points).decode().split() == [
        "[pytest11]",
        "emulated-cuda",
        "=",
        "pytest_emulated_cuda",
    ]
    assert [name for name in archive.namelist() if name.endswith("licenses/LICENSE")]


def test_wheel_metadata(metadata: Message):
    extras = {*ADAPTERS, "tape", "nvrtc", "scipy", "cli", "xarray", "astropy", "pint"}
    extras |= {"array-api", "cupy"}
    assert set(metadata.get_all("Provides-Extra", [])) == extras
    required = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert {line.split(">")[0] for line in required} == {"numpy", "plum-dispatch"}
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Version"] == __version__


def test_python_versions_agree() -> None:
    floor = SETTINGS["project"]["requires-python"].removeprefix(">=")
    assert SETTINGS["tool"]["pyright"]["pythonVersion"] == floor


@pytest.mark.long
def test_wheel_works_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    python = fresh_environment(tmp_path / "env")
    install(python, wheel)
    core, numpy_backend, a_bar, prefix = use(python, tmp_path)
    assert core.is_relative_to(prefix)
    assert numpy_backend.is_relative_to(prefix)
    assert a_bar == [2.0, 2.0, 2.0]
    command = [tmp_path / "env/bin/chainrules", "explain", "numpy.sinh"]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert f"sinh_rrule(Array | Scalar) at {prefix}" in done.stdout


@pytest.mark.long
def test_editable_install_is_the_checkout(tmp_path: Path) -> None:
    python = fresh_environment(tmp_path / "env")
    install(python, "--editable", ROOT)
    core, numpy_backend, a_bar, _prefix = use(python, tmp_path)
    assert core == ROOT / "chainrules_py/__init__.py"
    assert numpy_backend == ROOT / "backends/chainrules_numpy/__init__.py"
    assert a_bar == [2.0, 2.0, 2.0]
