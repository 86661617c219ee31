"""``pytest --emulated-cuda``: the tests that follow find a CUDA device, which the processor
emulates.

This module stands outside of the package, because pytest imports it in each run where the
distribution is installed, and the package imports NumPy and SciPy.
"""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Without the option nothing happens."""
    parser.getgroup("CUDA").addoption(
        "--emulated-cuda",
        action="store_true",
        help="run CuPy on a CUDA device that the processor emulates",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Install the device before a `conftest.py` imports CuPy."""
    if early_config.known_args_namespace.emulated_cuda:
        early_config.pluginmanager.import_plugin("emulated_cuda.plugin")
        early_config.pluginmanager.get_plugin("emulated_cuda.plugin").install_for_tests()
