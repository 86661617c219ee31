"""The table from a primal to example calls of it.

    @samples_for(np.hypot, dtypes=REAL)
    def hypot_samples(draw):
        yield Sample(draw.real(2, 3), draw.real(3))
        yield Sample(0.0, 0.0, tags=[Tag.KINK])
        yield Sample(draw.real(2), draw.real(3), error=ValueError)

A generator is run when somebody asks, with numbers that depend on the primal, the dtype and the
seed alone, so that a failing call can be had again by its name. One primal may have several
generators: packages add to each other's.

The samples of NumPy's and SciPy's functions are a distribution of their own, chainrules-samples,
which `load_shipped` imports.
"""

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Never, TypeVar

import numpy as np

from chainrules_py.annotations import Args
from chainrules_py.errors import OptionError, PackError
from chainrules_py.projection.structured import Structure
from chainrules_py.testing.coordinates import Layout
from chainrules_py.testing.draw import Draw as Draw
from chainrules_py.testing.failures import MissingSamplesError, UnsuitableCallError
from chainrules_py.testing.random_tangents import seeded
from chainrules_py.values.discovery import is_installed
from chainrules_py.values.identity import qualified_name
from chainrules_py.values.records import Record

REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
REAL_AND_COMPLEX = REAL + COMPLEX
DOUBLE = ("float64", "complex128")  # the kit adds single precision to each

SHIPPED = "chainrules_samples"
INSTALL = "install chainrules-samples (pip install ./tests/samples in a checkout)"


class Tag(StrEnum):
    """A property by which tests choose samples."""

    DOMAIN = "domain"  # at or near the edge of the domain
    BROADCAST = "broadcast"
    EMPTY = "empty"  # implied where an argument is
    ZERO_D = "0-d"  # implied where an array without axes is an argument
    COMPLEX = "complex"
    TIE = "tie"  # no derivative here: only the conventions are tested
    KINK = "kink"
    OPTIONS = "options"  # implied where a sample has some
    ERROR = "error"  # implied where the call must raise


class Sample(Record):
    """An example call: its arguments, its options, and what is special about it.

    `fixed` lists positions that are constants of the call (indices, say) even though they hold
    floats. `error` is the class that the call must raise, `error_data` the attributes it must
    carry. `structures` names the linear space that an
    argument moves in, by position: ``{0: "hermitian"}``.
    """

    args: tuple[Any, ...]
    options: Mapping[str, Any]
    tags: frozenset[Tag]
    fixed: tuple[int, ...]
    structures: Mapping[int, Structure]
    error: type[BaseException] | None
    error_data: Mapping[str, Any]
    second_order: bool
    name: str

    def __init__(
        self,
        *args: Any,
        options: Mapping[str, Any] = MappingProxyType({}),
        tags: Iterable[Tag] = (),
        fixed: Iterable[int] = (),
        structures: Mapping[int, Structure] = MappingProxyType({}),
        error: type[BaseException] | None = None,
        error_data: Mapping[str, Any] = MappingProxyType({}),
        second_order: bool = True,
        name: str = "",
        **unknown: Never,
    ) -> None:
        if unknown:
            raise _unknown_keyword(*next(iter(unknown.items())))
        implied = [tag for tag, holds in _evident_tags(args, options, error).items() if holds]
        super().__init__(
            args=args,
            options=dict(options),
            tags=frozenset((*tags, *implied)),
            fixed=tuple(fixed),
            structures=dict(structures),
            error=error,
            error_data=dict(error_data),
            second_order=second_order,
            name=name,
        )
        if not name:
            object.__setattr__(self, "name", self._describe())

    def _describe(self) -> str:
        """Shapes, options and tags, short enough for a test id: ``2x3-axis=0-options``."""
        shapes = ",".join(_shape_name(arg) for arg in self.args)
        options = [f"{key}={_option_name(value)}" for key, value in self.options.items()]
        return "-".join([shapes, *options, *sorted(self.tags)])


def _evident_tags(args: Args, options, error) -> dict[Tag, bool]:
    """The tags that a call shows by itself, and whether it does."""
    leaves = Layout(args).leaves
    shapes = [leaf.shape for leaf in leaves if type(leaf.example) not in (float, complex)]
    return {
        Tag.EMPTY: any(0 in shape for shape in shapes),
        Tag.ZERO_D: () in shapes,
        Tag.OPTIONS: bool(options),
        Tag.ERROR: error is not None,
    }


def _unknown_keyword(name: str, value) -> OptionError:
    """The error for an option of the primal that was given to the sample."""
    got = f"got the keyword {name}, which says nothing about a sample"
    instead = f"options of the primal go in options: Sample(..., options={{{name!r}: {value!r}}})"
    return OptionError("Sample", got, instead, primal=None, option=name, value=value)


def _shape_name(arg) -> str:
    """``2x3`` for arrays, ``[2x3,3]`` for sequences of them, the class of anything else."""
    if isinstance(arg, type | np.dtype):
        return getattr(arg, "__name__", None) or str(arg)
    if isinstance(arg, list | tuple):
        return f"[{','.join(map(_shape_name, arg))}]"
    shape = getattr(arg, "shape", None)
    return type(arg).__name__ if shape is None else "x".join(map(str, shape)) or "0d"


def _option_name(value) -> str:
    if isinstance(value, int | float | str | tuple | None):
        return str(value).replace(" ", "")
    return _shape_name(value)


Samples = Iterator[Sample]  # what a generator of samples gives
SampleGenerator = Callable[[Draw], Iterable[Sample]]
G = TypeVar("G", bound=Callable[..., Iterable[Sample]])


@dataclass(frozen=True)
class _Entry:
    generate: SampleGenerator
    dtypes: tuple[str, ...]


_table: dict[Any, list[_Entry]] = {}


def samples_for(*primals: Any, dtypes: Iterable[str] = REAL) -> Callable[[G], G]:
    """Register a generator of samples for primals, for each of the dtypes.

    A generator that takes two parameters receives the primal as the second one.
    """

    if isinstance(dtypes, str):
        raise _unsuitable(
            primals, f"dtypes is {dtypes!r}, a string", f"write dtypes=[{dtypes!r}]", dtypes
        )

    def register(generate: G) -> G:
        for primal in primals:
            _table.setdefault(primal, []).append(_Entry(_bind(generate, primal), tuple(dtypes)))
        return generate

    return register


def samples_by_shape(
    calls: Mapping[Any, Iterable[tuple[tuple[int, ...], Mapping[str, Any]]]],
    *,
    dtypes: Iterable[str] = REAL,
) -> None:
    """Register samples of functions of one array, by the shapes of the argument."""

    @samples_for(*calls, dtypes=dtypes)
    def calls_by_shape(draw: Draw, primal) -> Samples:
        for shape, options in calls[primal]:
            yield Sample(draw.any(*shape), options=options)


def _bind(generate: Callable[..., Iterable[Sample]], primal) -> SampleGenerator:
    if len(inspect.signature(generate).parameters) < 2:
        return generate
    return lambda draw: generate(draw, primal)


def samples_of(primal: Any, dtype: str, *, seed: int = 0) -> Iterator[Sample]:
    """Draw the samples of a primal in a dtype, with unique names."""
    seen: dict[str, int] = {}
    for entry in _table.get(primal, ()):
        if dtype not in entry.dtypes:
            continue
        made: Any = entry.generate(
            Draw(seeded(qualified_name(primal), dtype, seed=seed), np.dtype(dtype))
        )
        if not isinstance(made, Iterable):
            raise _unsuitable(
                (primal,),
                f"the generator returned {made!r}",
                "yield samples, or return a list of them",
                made,
            )
        for sample in made:
            if not isinstance(sample, Sample):
                instead = "write Sample(*arguments, options={...}): one call of the primal"
                raise _unsuitable(
                    (primal,),
                    f"the generator yielded a {type(sample).__qualname__}",
                    instead,
                    sample,
                )
            count = seen[sample.name] = seen.get(sample.name, 0) + 1
            if count > 1:
                object.__setattr__(sample, "name", f"{sample.name}-{count}")
            yield sample


def _unsuitable(primals: tuple[Any, ...], got: str, instead: str, value) -> UnsuitableCallError:
    where = f"samples_for({', '.join(map(qualified_name, primals))})"
    return UnsuitableCallError(
        where, got, instead, primal=primals[0] if primals else None, argument="samples", value=value
    )


def dtypes_of(primal) -> tuple[str, ...]:
    """The dtypes for which a primal has samples."""
    return tuple(dict.fromkeys(name for entry in _table.get(primal, ()) for name in entry.dtypes))


def generators_of(primal) -> tuple[Any, ...]:
    """What is registered for a primal, by which samples that were drawn before are known."""
    return tuple(_table.get(primal, ()))


def sampled_primals() -> tuple[Any, ...]:
    """Every primal that has samples."""
    return tuple(_table)


def require_samples(primal) -> None:
    """Raise `MissingSamplesError` where a primal has no sample in any dtype."""
    if dtypes_of(primal):
        return
    instead = "write @samples_for(primal) on a generator of Sample(...)"
    if not is_installed(SHIPPED):
        instead = f"{instead}; for a function of NumPy or SciPy, {INSTALL}"
    raise MissingSamplesError(
        f"the samples of {qualified_name(primal)}",
        "there are none, so nobody tests its rules",
        instead,
        primal=primal,
    )


def load_shipped(*, required: bool = True) -> None:
    """Import the samples of NumPy's and SciPy's functions, the distribution chainrules-samples.

    Where it is not installed, `PackError` says how to install it, unless it is not `required`.
    """
    if is_installed(SHIPPED):
        importlib.import_module(SHIPPED)
    elif required:
        raise PackError(
            "the samples of NumPy's and SciPy's functions",
            f"there is no module {SHIPPED!r}",
            INSTALL,
            module=SHIPPED,
            home="chainrules_py.testing",
        )
