"""Each file of rules: a rule and its pullback, and a pushforward, against the bare function.

The calls are the first plain samples of each primal (`chainrules_samples`), a handful of
numbers each: what is measured is what differentiating costs besides arithmetic. A file's figure is
the median over its primals, or over five of them where it has more.
"""

import traceback
from collections.abc import Iterator
from math import ceil, nan
from pathlib import Path
from statistics import median
from typing import Any

import chainrules_py.rulesets
from benchmarks.measure import Run, apart_from_libraries, ratio
from benchmarks.titles import titled
from chainrules_py import default_rules
from chainrules_py.rules.rule import MODES, Mode, Rule
from chainrules_py.testing.random_tangents import rand_tangent, seeded
from chainrules_py.testing.samples import Sample, Tag, load_shipped, samples_of

Figures = dict[Mode, float]

ROOT = Path(chainrules_py.rulesets.__file__).parent
MOST = 5  # primals of a file that are measured
UNUSUAL = {Tag.EMPTY, Tag.ERROR, Tag.KINK, Tag.TIE, Tag.DOMAIN}


def files_of_rules() -> tuple[str, ...]:
    """``elementwise``, ``linalg.svd``, ...: found without importing them."""
    paths = (
        path.relative_to(ROOT).with_suffix("")
        for path in ROOT.rglob("*.py")
        if path.name != "__init__.py"
    )
    return tuple(sorted(".".join(path.parts) for path in paths))


def rules_in(file: str, mode: Mode) -> Iterator[Rule]:
    """The rules of one mode that are written in a file, one per primal."""
    path = str(ROOT / file.replace(".", "/")) + ".py:"
    rules = {
        rule.primal: rule
        for rule in default_rules.load_all().rules()
        if rule.mode == mode and rule.where.startswith(path)
    }
    yield from rules.values()


def plain_sample(primal: Any) -> Sample | None:
    """The first unremarkable sample in double precision that a call can be made of."""
    return next(
        (sample for sample in samples_of(primal, "float64") if not sample.tags & UNUSUAL), None
    )


def calls(primal: Any, sample: Sample, mode: Mode) -> tuple[Run, Run]:
    """The differentiated call and the bare one."""
    args, options = sample.args, dict(sample.options)
    y = primal(*args, **options)
    rng = seeded(primal, mode)
    canonical, arranged, kept = default_rules.canonical(primal, args, options)
    types = tuple(map(type, arranged))
    if mode == "reverse":
        rule, y_bar = default_rules.resolve("reverse", canonical, types), rand_tangent(rng, y)
        return lambda: rule(*arranged, **kept)[1](y_bar), lambda: primal(*args, **options)
    dots = tuple(rand_tangent(rng, arg) for arg in arranged)
    needs = tuple(hasattr(dot, "dtype") or isinstance(dot, float) for dot in dots)
    push = default_rules.resolve("forward", canonical, types, needs)
    return lambda: push(dots, *arranged, **kept), lambda: primal(*args, **options)


def figures_of(file: str) -> Figures | str:
    """The median ratio by mode, or the traceback that says why there is none: one bad file does not
    take the others with it.
    """
    try:
        return {mode: figure for mode in MODES if (figure := median_ratio(file, mode)) is not None}
    except Exception:
        return traceback.format_exc()


def median_ratio(file: str, mode: Mode) -> float | None:
    """The median over primals of a file; None where no rule of this mode has a sample."""
    primals = [rule.primal for rule in rules_in(file, mode) if rule.differentiable]
    sampled = [(primal, sample) for primal in primals if (sample := plain_sample(primal))]
    if not sampled:
        return None
    step = ceil(len(sampled) / MOST)  # spread over the file, whose neighbours are alike
    pairs = [calls(primal, sample, mode) for primal, sample in sampled[::step]]
    return median(ratio(ours, bare, budget=0.02, seconds=0.001) for ours, bare in pairs)


class Rules:
    """One figure per file and mode."""

    params = files_of_rules()
    param_names = ("file",)

    def setup_cache(self) -> dict[str, Figures | str]:
        load_shipped()
        with apart_from_libraries():
            return {file: figures_of(file) for file in files_of_rules()}

    setup_cache.timeout = 600  # type: ignore[attr-defined]

    def setup(self, found: dict[str, Figures | str], file: str) -> None:
        figures = found[file]
        if isinstance(figures, str):
            raise RuntimeError(figures)
        if not figures:
            raise NotImplementedError(f"no rule of {file} has a sample")
        self.figures = figures

    @titled("rule and pullback / bare function", "ratio")
    def track_reverse(self, found: dict[str, Figures | str], file: str) -> float:
        return self.figures.get("reverse", nan)

    @titled("pushforward / bare function", "ratio")
    def track_forward(self, found: dict[str, Figures | str], file: str) -> float:
        return self.figures.get("forward", nan)
