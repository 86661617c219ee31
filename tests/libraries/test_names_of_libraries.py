"""Names that a library has added or dropped since it was looked at last: each is listed, with what to
do about it. `make test-elsewhere ARGS=--newest` asks the newest versions, each week.

What NumPy and SciPy have added is listed by `test_newer_numpy` and `test_names`.
"""

from pkgutil import resolve_name

import pytest

from chainrules_numpy.coverage import Coverage, coverage, overridable
from chainrules_py import default_rules
from chainrules_py.rulesets.without_rules import sections

REASONS = "chainrules_py/rulesets/without_rules.toml"
# Of names that have a reason there, those that only some of the supported versions have.
OLDER = {
    *("numpy.in1d", "scipy.stats.find_repeats", "scipy.stats.trapz", "scipy.special.sph_harm"),
    *(f"scipy.special.{name}" for name in ("btdtr", "btdtri", "clpmn", "lpmn", "lpn")),
    *("scipy.spatial.distance.kulczynski1", "scipy.spatial.distance.sokalmichener"),
}
NEWER = {
    "scipy.signal.whittaker_henderson",
    "scipy.sparse.matrix_transpose",
    "scipy.stats.estimated_cdf",
}


def listed_names():
    """Full names that have a reason: those of SciPy, and those of NumPy that are written in full."""
    for modules in sections().values():
        for module, reasons in modules.items():
            for name in " ".join(reasons.values()).split():
                if "*" not in name and (module.startswith("scipy.") or name.startswith("numpy.")):
                    yield name if name.startswith(("numpy.", "scipy.")) else f"{module}.{name}"


def exists(name):
    """Whether a name leads somewhere, through modules that are imported for it."""
    try:
        resolve_name(name)
    except (AttributeError, ImportError):
        return False
    return True


def test_what_has_a_reason_is_there():
    pytest.importorskip("scipy")
    names = set(listed_names())
    assert len(names) > 400
    gone = {name for name in names if not exists(name)} - OLDER - NEWER
    assert not gone, (
        f"{', '.join(sorted(gone))}: the installed version has no such name; put it into OLDER, and"
        f" out of {REASONS} when no supported version has it"
    )


def test_what_only_some_versions_have_has_a_reason():
    unlisted = (OLDER | NEWER) - set(listed_names())
    assert not unlisted, f"{', '.join(sorted(unlisted))}: {REASONS} has no such name; take it out"


# Functions of NumPy that have rules, and that `jax.numpy` does not have.
LACKED_BY_JAX = {
    *("asanyarray", "ascontiguousarray", "asfortranarray", "copyto", "fix", "putmask"),
    *("real_if_close", "lib.stride_tricks.sliding_window_view"),
    *(f"lib.scimath.{name}" for name in ("arccos", "arcsin", "arctanh", "log", "log10")),
    *(f"lib.scimath.{name}" for name in ("log2", "logn", "power", "sqrt")),
    *(f"polynomial.polynomial.{name}" for name in ("polygrid2d", "polyval2d", "polyvalnd")),
}


def test_what_jax_has_of_numpy():
    """What it adds may be taken of it; for what it drops, rules need another name on its arrays."""
    pytest.importorskip("jax.numpy")
    default_rules.load_all()
    with_rule = {each.name for each in coverage() if each.coverage == Coverage.RULE}
    names = {name.removeprefix("numpy.") for name in with_rule & overridable().keys()}

    lacking = {name for name in names if not exists(f"jax.numpy.{name}")}
    dropped, added = lacking - LACKED_BY_JAX, LACKED_BY_JAX & names - lacking
    assert not dropped, (
        f"{', '.join(sorted(dropped))}: jax.numpy has no such name any more, or NumPy is newer;"
        " give it one in chainrules_jax.namespace, and put it into LACKED_BY_JAX"
    )
    assert not added, (
        f"{', '.join(sorted(added))}: jax.numpy has this name now; take it out of LACKED_BY_JAX, and"
        " what stands in for it out of chainrules_jax.namespace"
    )


# Of the namespace of the standard's strict arrays, what is about that library itself.
OF_STRICT_ALONE = {
    "ArrayAPIStrictFlags",
    "Device",
    *(f"{word}_array_api_strict_flags" for word in ("get", "reset", "set")),
}


def test_what_the_standard_has():
    strict = pytest.importorskip("array_api_strict")
    from chainrules_array_api.namespace import namespace

    unknown = {name for name in strict.__all__ if not hasattr(namespace, name)} - OF_STRICT_ALONE
    assert not unknown, (
        f"{', '.join(sorted(unknown))}: the standard {strict.__array_api_version__} has this name,"
        " and chainrules_array_api.namespace does not; give it a place there"
    )


@pytest.mark.parametrize(("name", "is_there"), [("numpy.sin", True), ("scipy.fft.nodct", False)])
def test_a_name_that_is_gone_is_noticed(name, is_there):
    assert exists(name) == is_there
