"""Every sample as a test case: one per primal, dtype, sample and mode, each with a name."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from chainrules_py.rules.rule import MODES, Mode
from chainrules_py.table.registry import RuleTable
from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.failures import CheckFailure, Diagnosis
from chainrules_py.testing.random_tangents import rand_tangent, seeded
from chainrules_py.testing.samples import (
    Sample,
    Tag,
    dtypes_of,
    generators_of,
    require_samples,
    samples_of,
)
from chainrules_py.testing.settings import Settings
from chainrules_py.testing.trial import Trial
from chainrules_py.testing.verification import check_whole, trial_of_rules
from chainrules_py.values.identity import qualified_name


@dataclass(frozen=True)
class Case:
    """One sample of one primal in one dtype and one mode."""

    primal: Any
    sample: Sample
    dtype: str
    mode: Mode
    settings: Settings

    def __repr__(self) -> str:
        """Name the sample, whose arrays and settings nobody reads in a list of failures."""
        return f"{type(self).__name__}({self.name})"

    @property
    def name(self) -> str:
        """``numpy.sum-2x3-axis=0-options-float32-reverse``."""
        return "-".join([qualified_name(self.primal), self.sample.name, self.dtype, self.mode])

    def run(self) -> None:
        """Check the call; raises what is wrong."""
        if self.sample.error is not None:
            self._check_error()
        else:
            check_whole(_trial(self.primal, self.sample, self.settings), (self.mode,))

    def effective_settings(self) -> Settings:
        """The settings with what the sample says about itself."""
        return _effective(self.settings, self.sample)

    def _check_error(self) -> None:
        rules, error = self.settings.rules, self.sample.error
        assert error is not None
        try:
            if self.mode == "reverse":
                rules.rrule(self.primal, *self.sample.args, **self.sample.options)
            else:
                rules.frule(self._tangents(), self.primal, *self.sample.args, **self.sample.options)
        except error as raised:
            self._check_data(raised)
            return
        raise self._failure(f"it did not raise {error.__name__}")

    def _tangents(self) -> tuple[Any, ...]:
        rng = seeded(self.name, seed=self.settings.seed)
        return tuple(rand_tangent(rng, arg) for arg in self.sample.args)

    def _check_data(self, raised: BaseException) -> None:
        for name, value in self.sample.error_data.items():
            if getattr(raised, name, None) != value:
                raise self._failure(
                    f"the error's {name} is {getattr(raised, name, None)!r}, not {value!r}"
                ) from raised

    def _failure(self, sentence: str) -> CheckFailure:
        return CheckFailure(
            self.name,
            sentence,
            "refuse the call, or correct the sample",
            check="error call",
            mode=self.mode,
            primal=self.primal,
            argument=None,
            diagnosis=Diagnosis("no-error", sentence),
            entries=(),
            location=self.name,
        )


def _effective(settings: Settings, sample: Sample) -> Settings:
    return replace(
        settings,
        fixed=sample.fixed,
        structures=sample.structures,
        conventions=bool(sample.tags & {Tag.TIE, Tag.KINK}),
        singular=Tag.DOMAIN in sample.tags,
        second_order=settings.second_order if sample.second_order else "off",
    )


@lru_cache(maxsize=64)
def _trial(primal, sample: Sample, settings: Settings) -> Trial:
    """The trial of a sample: its oracle serves both modes, and every mutant of the rules."""
    options = dict(sample.options)
    return trial_of_rules(primal, sample.args, options, _effective(settings, sample))


NARROW = ("float32", "complex64")


def cases_of(
    primal: Any, *, settings: Settings, dtypes: Iterable[str] | None = None
) -> Iterator[Case]:
    """List the cases of a primal in the modes that have a rule, or raise MissingSamplesError.

    The check of a case in double precision makes calls in single precision of it. It does not where
    the sample has a case of its own in single precision.
    """
    modes: tuple[Mode, ...] = tuple(mode for mode in MODES if _has_rule(primal, mode, settings))
    require_samples(primal)
    in_single_precision: set[tuple[str, str]] = set()
    without_single = replace(settings, dtypes="mixed") if settings.dtypes else settings
    for dtype in dtypes_of(primal):
        if dtypes is None or dtype in dtypes:
            for sample in drawn_samples(primal, dtype, settings.seed):
                key = np.dtype(dtype).kind, sample.name
                chosen = without_single if key in in_single_precision else settings
                yield from (Case(primal, sample, dtype, mode, chosen) for mode in modes)
                leaves = Layout(sample.args).leaves if dtype in NARROW else ()
                if dtype in NARROW and all(leaf.dtype in NARROW for leaf in leaves):
                    in_single_precision.add(key)


def drawn_samples(primal: Any, dtype: str, seed: int) -> tuple[Sample, ...]:
    """The samples of a primal in a dtype, drawn once for all who make cases of them."""
    return _drawn(primal, dtype, seed, generators_of(primal))


@cache
def _drawn(primal, dtype: str, seed: int, _generators: tuple[Any, ...]) -> tuple[Sample, ...]:
    return tuple(samples_of(primal, dtype, seed=seed))


def _has_rule(primal, mode: Mode, settings: Settings) -> bool:
    return any(
        rule.mode == mode and rule.suits(type(settings.config))
        for rule in settings.rules.rules(primal)
    )


def primals_of(rules: RuleTable) -> tuple[Any, ...]:
    """List every primal with a rule once, but for those that write into an argument.

    The kit calls a primal and its rule many times on one sample; of what writes, it checks a
    function that copies first.
    """
    return tuple(dict.fromkeys(rule.primal for rule in rules.rules() if rule.overwrites is None))


def cases(
    primals: Iterable[Any], *, settings: Settings | None = None, dtypes: Iterable[str] | None = None
) -> Iterator[Case]:
    """The cases of several primals; those without samples are left to `unsampled`."""
    chosen = settings or Settings()
    for primal in primals:
        if dtypes_of(primal):
            yield from cases_of(primal, settings=chosen, dtypes=dtypes)


def unsampled(rules: RuleTable) -> tuple[Any, ...]:
    """The primals that have a rule and no sample."""
    return tuple(primal for primal in primals_of(rules) if not dtypes_of(primal))


def outcome(case: Case) -> Exception | None:
    """Run a case, and return the error that it raises, or None."""
    try:
        case.run()
    # a sample that its own primal refuses, say: news about the case, whatever it is
    except Exception as error:
        return error
    return None
