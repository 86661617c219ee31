# Every target sets up what it needs in .venv: a first call installs, a later one starts at once.
#
#   make demo                      a gradient, a Hessian, a graph, and rules you can read, next to finite differences
#   make test                      the tests; make test ARGS="-k sin -x" passes arguments to pytest
#   make lint | make types         ruff and the order of imports; mypy and pyright
#   make test-gpu                  the tests that need a CUDA device, the most telling ones first
#   make test-emulated             the same tests, but for speed, with CuPy on a CUDA device that the processor emulates
#   make test-emulated ARGS="--one-in 10"   a tenth of them, others on each day
#   make test-elsewhere            the numeric tests as other machines run them: BLAS kernels, no SIMD, other Pythons, oldest packages
#   make test-elsewhere ARGS=--newest   the newest Python that is found, with the newest NumPy, SciPy, JAX and PyTensor
#   make test-packages             other people's packages, differentiated as they stand; the table goes to docs/packages.md.
#                                  Array classes of some of them. Their own tests where they are seen as elsewhere
#   make test-dependents           the tests of packages that are built on autograd, on it and on ours; the table goes to docs/dependents.md
#   make test-engines-packages     the same calls through JAX and PyTorch, in both modes; the table goes to docs/packages_in_engines.md
#   make test-browser              the page's program, the demo and some tests under Pyodide, by node; npm has to be there
#   make engines                   the other libraries that tests want: autograd, JAX, PyTorch, CuPy, array API, and the gallery's
#   make gallery                   draw the pictures of the gallery, docs/gallery/images; with PyMC installed, also the one that needs it
#   make docs                      this documentation as a site, docs/_build/html/index.html
#   make bench                     the benchmarks in their quick form; they write docs/performance.md, its picture and this version's history
#   make peers                     libraries that make bench compares with, which want Python 3.12: CasADi, PyTensor, advect, asdex
#   make bench-compare BASE=main   what gradients cost on the files here, in units of a commit's: two minutes
#   make dashboard                 the history that is kept in the repository as a web page, .asv/html/history.html
#   make dashboard COMMITS=3       with the last commits measured here
#   make release-check             the wheels and source distributions, of the samples and the emulated device too, in dist/, built and checked
#   make sbom                      a list of what is installed with the wheel in dist/, sbom.json
#   make test PYTHON=python3.13    another interpreter (remove .venv first)

PYTHON ?= python3
ARGS ?=
GPU_TESTS := tests/chainrules_cupy tests/chainrules_torch/together/test_on_cuda.py tests/product/test_cells.py
COMMITS ?= 0
# Of pyproject.toml: what people need who work on the project, beside the extras of users.
GROUPS := test standard bench gallery release docs dev
BASE ?= main
PEERS_PYTHON ?= python3.12
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Each process of the tests would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-elsewhere test-packages test-dependents test-engines-packages test-gpu test-emulated test-browser lint format types engines gallery docs bench bench-compare peers dashboard release-check sbom clean

demo: .venv/.with-tape
	$(BIN)/python examples/demo.py

test: .venv/.with-test .venv/.with-samples .venv/.with-emulated-cuda
	$(BIN)/pytest -n auto --dist worksteal $(ARGS)

test-elsewhere: .venv/.with-test .venv/.with-samples
	$(BIN)/python tests/packaging/elsewhere.py $(ARGS)

test-packages: .venv/.with-test .venv/packages/.installed tests/foreign_code/suites.txt
	$(BIN)/python tests/foreign_code/run.py .venv/packages
	$(INSTALL) --no-deps --target .venv/suites -r tests/foreign_code/suites.txt
	$(BIN)/python tests/foreign_code/suites.py .venv/suites

test-dependents: .venv/.with-test .venv/dependents/.installed
	$(BIN)/python tests/dependents/run.py .venv/dependents $(ARGS)

test-engines-packages: .venv/.with-test .venv/.with-jax .venv/.with-torch .venv/packages/.installed
	$(BIN)/python tests/foreign_code/run_in_engines.py .venv/packages

test-gpu: .venv/.with-test .venv/.with-samples .venv/.with-cupy .venv/.with-ctk
	$(BIN)/pytest -m gpu $(if $(findstring tests/,$(ARGS)),,$(GPU_TESTS)) $(ARGS)

test-emulated: .venv/.with-test .venv/.with-samples .venv/.with-emulated-cuda .venv/.with-cupy .venv/.with-nvrtc
	$(BIN)/pytest -p emulated_cuda.plugin -n auto -m "gpu and not slow" $(if $(findstring tests/,$(ARGS)),,$(GPU_TESTS)) $(ARGS)

test-browser: .venv/.with-test .venv/.with-samples .venv/browser/.installed
	$(BIN)/python -m hatchling build -t wheel -d .venv/browser/wheels
	$(BIN)/pytest tests/packaging/test_in_browser.py $(ARGS)

lint: .venv/.with-dev .venv/.with-samples
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports

format: .venv/.with-dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: .venv/.with-dev .venv/.with-test
	$(BIN)/mypy
	$(BIN)/pyright

engines: .venv/.with-autograd,jax,torch,cupy,nvrtc .venv/.with-standard .venv/.with-gallery

# The program that samples with PyMC is left out where that is not installed: it brings many libraries.
gallery: .venv/.with-gallery
	set -e; for program in examples/gallery/*.py; do \
		if grep -q "^import pymc" $$program && ! $(BIN)/python -c "import pymc" 2>/dev/null; then continue; fi; \
		echo $$program; MATPLOTLIBRC=examples/gallery $(BIN)/python $$program docs/gallery/images/$$(basename $$program .py).png; done

docs: .venv/.with-docs .venv/.with-samples
	$(BIN)/sphinx-build -W --keep-going -n -q docs docs/_build/html

bench: .venv/.with-bench .venv/.with-samples .venv/.with-torch-cpu
	$(BIN)/python -m benchmarks.quick $(ARGS)

bench-compare: .venv/.with-bench .venv/.with-samples
	$(BIN)/python -m benchmarks.states $(BASE)

# Not in .venv: advect wants Python 3.12, asdex an older JAX.
peers: | .venv/bin/activate
	$(PEERS_PYTHON) -m venv .venv/peers
	.venv/peers/bin/python -m pip install --quiet --disable-pip-version-check advect asdex casadi "jax<0.12" pytensor

dashboard: .venv/.with-bench .venv/.with-samples .venv/.with-torch-cpu
	$(BIN)/python -m benchmarks.dashboard $(COMMITS)

release-check: .venv/.with-release .venv/.with-test .venv/.with-samples
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m build --no-isolation --outdir dist tests/samples
	$(BIN)/python -m build --no-isolation --outdir dist tests/emulated_cuda
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/pytest tests/packaging/test_distribution.py tests/packaging/test_release.py

# What the wheel brings with it, as CycloneDX: it is installed, alone, with what users of the tape and of SciPy ask for.
sbom: .venv/.with-release
	$(BIN)/python -m venv --clear .venv/released
	.venv/released/bin/python -m pip install --quiet --disable-pip-version-check "$$(echo dist/chainrules_py-*.whl)[tape,scipy]"
	.venv/released/bin/python -m pip uninstall --quiet --yes pip
	$(BIN)/cyclonedx-py environment --output-file sbom.json .venv/released

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist sbom.json

# One stamp per extra or group, older than pyproject.toml when it may have changed.
.venv/.with-%: pyproject.toml | .venv/bin/activate
	$(INSTALL) -e ".[$*]"
	@touch $@

$(GROUPS:%=.venv/.with-%): .venv/.with-%: pyproject.toml | .venv/bin/activate
	$(INSTALL) "pip>=25.1" # which knows groups
	$(INSTALL) -e . --group $*
	@touch $@

# Other people's packages, in the versions of the list, apart from what is installed.
.venv/packages/.installed: tests/foreign_code/requirements.txt | .venv/.with-test
	$(INSTALL) --no-deps --target .venv/packages -r $<
	@touch $@

# Source distributions, because wheels have no tests; what they need is apart from what is installed.
.venv/dependents/.installed: tests/dependents/sources.txt tests/dependents/libraries.txt | .venv/.with-test
	rm -rf .venv/dependents/libraries .venv/dependents/sources
	$(INSTALL) --no-deps --target .venv/dependents/libraries -r tests/dependents/libraries.txt
	for one in $$(grep -v "^#" tests/dependents/sources.txt); do \
		$(BIN)/python -m pip download --quiet --no-deps --no-binary $${one%%=*} --dest .venv/dependents/sources $$one || exit 1; done
	@touch $@

# What runs in a browser, in the version that the page loads, and packages that Pyodide does not bring.
.venv/browser/.installed: docs/_static/in_browser.mjs | .venv/.with-test
	npm install --silent --prefix .venv/browser pyodide@$$(sed -n 's/.*PYODIDE = "\(.*\)".*/\1/p' $<)
	$(BIN)/python -m pip download --quiet --no-deps --only-binary :all: --platform any --python-version 3.13 --dest .venv/browser/wheels \
		plum-dispatch beartype rich markdown-it-py mdurl pygments typing-extensions micropip packaging pytest pluggy iniconfig
	@touch $@

# A distribution of its own; the extra that is installed beside it brings the core.
.venv/.with-samples: tests/samples/pyproject.toml | .venv/bin/activate
	$(INSTALL) --no-deps -e tests/samples
	@touch $@

# A distribution of its own; what it runs on the emulated device are the extras cupy and nvrtc.
.venv/.with-emulated-cuda: tests/emulated_cuda/pyproject.toml | .venv/bin/activate
	$(INSTALL) -e tests/emulated_cuda
	@touch $@

# CUDA's compiler and libraries, for a machine that has a driver and no toolkit; where pip cannot have them, CuPy looks for others.
.venv/.with-ctk: | .venv/bin/activate
	-$(INSTALL) "cupy-cuda12x[ctk]>=14"
	@touch $@

# Optional: without PyTorch the benchmarks leave it out. Pinned: this version has a small build for CPUs.
.venv/.with-torch-cpu: | .venv/bin/activate
	-$(INSTALL) torch==2.13.0 "array-api-compat>=1.16"
	@touch $@

# `activate` is the last file that venv writes: a half-made environment is made again.
.venv/bin/activate:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'make: PYTHON=$(PYTHON) is Python ' \
		+ sys.version.split()[0] + '; pass a newer one, as in make PYTHON=python3.11')"
	$(PYTHON) -m venv .venv
