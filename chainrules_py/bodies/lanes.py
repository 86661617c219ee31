"""Many examples at once: a level whose values have an axis of examples in front."""

from typing import Any

from chainrules_py.annotations import Args, Function, Options
from chainrules_py.batching.failures import one_after_the_other
from chainrules_py.batching.lanes import Lanes, Same, changed_lanes, lane_count
from chainrules_py.bodies.traced import Level, Traced
from chainrules_py.errors import BatchingError
from chainrules_py.table.registry import RuleTable
from chainrules_py.values.structure import fields, is_container, mapped


class LaneValue(Traced):
    """One example of many, which lie along the first axis of the value."""

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one example."""
        return tuple(self.value.shape[1:])

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        got = "its body asks whether a value is true, which may differ from example to example"
        raise BatchingError("batched", got, "write numpy.where in the body")


class InLanes(Level):
    """The level of the examples of one call."""

    mode = "batching"

    def trace(self, y) -> Any:
        """Trace the result of a rule; what is the same in all lanes is plain."""
        if type(y) is Same:
            return y.value
        if is_container(y):
            return mapped(self.trace, y)
        return LaneValue(y, self)

    def lanes_of(self, x) -> Any:
        """Say which parts of a value have lanes."""
        if not self.is_in(x):
            return False
        return True if self.owns(x) else tuple(map(self.lanes_of, fields(x).values()))

    def run(self, primal, args: Args, options: Options) -> Any:
        """Run the rule for batching of an operation, or its loop."""
        lanes = tuple(map(self.lanes_of, args))
        values = tuple(map(self.plain, args))
        named = {name: self.lanes_of(option) for name, option in options.items()}
        by_name = [name if own is True else (name, own) for name, own in named.items() if own]
        types = tuple(map(type, values))
        run = self.table.in_lanes(primal, types, (*lanes, *by_name))
        return self.trace(run(*values, **self.plain(options)))


def vmap(
    table: RuleTable,
    function: Function,
    lanes: Lanes,
    args: Args,
    options: Options,
) -> Any:
    """Run a function on all examples at once; a result that is the same in all is `Same`."""
    level = InLanes(table)

    def traced(x):
        return LaneValue(x, level)

    inputs = [changed_lanes(lane, arg, traced) for lane, arg in zip(lanes, args, strict=True)]
    try:
        result = function(*inputs, **options)
    except BatchingError:
        raise
    except Exception:  # which it may raise for some lanes alone
        if not lane_count("batched", lanes, args):
            raise
        return one_after_the_other("batched", function, lanes, args, options)
    return mapped(lambda x: x.value if level.owns(x) else Same(x), result)
