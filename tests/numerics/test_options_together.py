"""Options together that no sample has together: the whole kit on calls drawn at random.

A call is one of the samples with up to three options more, whose values are those that samples of
any function have under these names. An error is as good as an answer here: what is looked for are
wrong numbers in silence.
"""

from collections import defaultdict
from dataclasses import replace
from inspect import Parameter
from random import Random

import numpy as np
import optree
import pytest

from chainrules_py.errors import ChainRulesError
from chainrules_py.rules.rule import MODES
from chainrules_py.testing.cases import Case
from chainrules_py.testing.failures import CheckFailure
from chainrules_py.testing.samples import Sample, Tag
from chainrules_py.values.identity import qualified_name, signature_of
from sampled_calls import all_cases

DRAWN = 6  # calls of each function

# what says how a value is computed, or to what tolerance, or where it is written
NOT_DRAWN = {
    *("overwrite_x", "overwrite_a", "overwrite_b", "overwrite_ab", "overwrite_v", "overwrite_data"),
    *("out", "copy", "callback", "workers", "check_finite", "casting", "subok", "x0", "M"),
    *("tol", "atol", "rtol", "maxiter", "cond"),
    # of matrices that have a structure, as those of samples have or not
    *("assume_a", "UPLO", "hermitian"),
}
NOT_CALLED = {
    "scipy.stats._stats_py.mode": "has no derivative, by decision",
    "numpy.empty_like": "holds what was there before",
    "scipy.signal._spectral_py.coherence": "of one segment it is 1, and its derivative is rounding",
    "scipy.special._lambertw.lambertw": "a tolerance is an argument",
    "scipy.stats._multivariate.multinomial_gen.pmf": "the last probability is what the others leave",
    "scipy.stats._multivariate.multinomial_gen.logpmf": "the last probability is what the others leave",
    "scipy.sparse.linalg._dsolve.linsolve.spsolve_triangular": "SciPy does not look for a triangle",
    "numpy.polynomial.hermite_e.hermeder": "NumPy leaves the axis in front where nothing is left",
    "numpy.nanquantile": "NumPy confuses the axes of several levels with axis=()",
    "numpy.nanpercentile": "NumPy confuses the axes of several levels with axis=()",
}
SPECIAL = {Tag.TIE, Tag.KINK, Tag.DOMAIN, Tag.ERROR}


def is_simple(value):
    return isinstance(value, str | int | float | tuple | type | np.dtype | None)


def is_drawn_of(case):
    is_ours = qualified_name(case.primal).startswith("chainrules_py")
    return case.mode == "reverse" and not is_ours and not case.sample.tags & SPECIAL


CASES = defaultdict(list)
VALUES = defaultdict(dict)  # by the name of an option: the values, by what they look like
OWN = defaultdict(lambda: defaultdict(dict))
for _case in all_cases():
    if is_drawn_of(_case):
        CASES[_case.primal].append(_case)
        for _name, _value in _case.sample.options.items():
            OWN[_case.primal][_name][repr(_value)] = _value
            if is_simple(_value):
                VALUES[_name][repr(_value)] = _value


def names_of_options(primal):
    """The options of which there are values, in their order."""
    try:
        parameters = signature_of(primal).parameters.values()
    except ValueError:
        parameters = ()
    kinds = Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD
    known = {each.name for each in parameters if each.kind in kinds and each.name in VALUES}
    names = known.union(OWN[primal]) - NOT_DRAWN
    return sorted(names - {"dtype", "order"} if isinstance(primal, np.ufunc) else names)


def drawn_cases(primal, count, seed=""):
    """Calls that the primal takes, with more options than a sample has."""
    random = Random(qualified_name(primal) + seed)
    names = names_of_options(primal)
    found = {}
    for _ in range(6 * count if names else 0):
        if len(found) == count:
            break
        case = random.choice(CASES[primal])
        options = dict(case.sample.options)
        for name in random.sample(names, min(len(names), random.choice([1, 2, 2, 3]))):
            values = VALUES.get(name, {}) | OWN[primal][name]
            options[name] = values[random.choice(sorted(values))]
        sample = with_options(case.sample, options)
        settings = replace(case.settings, dtypes=False)
        drawn = Case(primal, sample, case.dtype, "reverse", settings)
        if is_taken(primal, drawn.sample):
            found[drawn.name] = drawn
    return list(found.values())


def with_options(sample, options):
    """The sample with other options, but for those that are positional arguments of it."""
    return Sample(
        *sample.args,
        options=options,
        fixed=sample.fixed,
        structures=sample.structures,
        second_order=sample.second_order,
    )


def is_taken(primal, sample):
    """Whether the call has a value, all of whose numbers are finite."""
    try:
        y = primal(*sample.args, **sample.options)
        return all(np.isfinite(np.asarray(leaf)).all() for leaf in optree.tree_leaves(y))
    except Exception:
        return False


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("primal", CASES, ids=qualified_name)
def test_calls_drawn_at_random(primal):
    if qualified_name(primal) in NOT_CALLED:
        pytest.skip(NOT_CALLED[qualified_name(primal)])
    with np.errstate(all="ignore"):
        for case in drawn_cases(primal, DRAWN):
            for mode in MODES:
                check(case, mode)


def check(case, mode):
    """Run the kit, whose complaint that something raises is none."""
    try:
        Case(case.primal, case.sample, case.dtype, mode, case.settings).run()
    except CheckFailure as failure:
        if failure.__cause__ is None:
            raise
    except ChainRulesError:
        pass
