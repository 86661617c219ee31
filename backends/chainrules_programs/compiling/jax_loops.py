"""Repetitions of a program as `jax.lax.scan`, so that XLA compiles one of them instead of all.

What a repetition hands to the next are the carried names, the memory from outside into which it
writes, and whether all questions had their answers. A carried name that a repetition writes into
has memory of its own there. XLA has no views: where the memory of a value would differ from one
repetition to the next, the loop is refused, and its steps stand one after the other.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from chainrules_programs.compiling.jax_memory import new_memory, refuse_operation, root_array
from chainrules_programs.compiling.passes.memory import memory_of_value, memory_written, targets
from chainrules_programs.recording.program import Value
from chainrules_programs.recording.repetitions import Loop
from chainrules_programs.recording.steps import made_anew, reads
from chainrules_tape.in_place.regions import address


class State(NamedTuple):
    """The state that one repetition hands to the next.

    `last` is read by none: it hands on what the last repetition has made, for steps after the loop, where
    that is not carried.
    """

    carried: list[Any]
    memory: list[Any]  # from outside, into which the repetitions write
    last: list[Any]
    is_covered: Any  # whether all questions had the answers that they had when it was recorded


def scan(run, loop: Loop) -> None:
    """Do a loop, and note in the run what it makes for others."""
    require_steady_memory(loop, run.memories)
    shared = sorted(memory_written(loop.body) & {memory_of_value(x) for x in direct_reads(loop)})
    overwritten = overwritten_names(loop)
    places = {each.following: place for place, each in enumerate(loop.carried)}
    left = [local for local in loop.last.values() if local not in places]
    asked: list[Any] = []

    def repetition(state: State, given: tuple[Any, list[Any]]) -> tuple[State, list[Any]]:
        number, entries = given
        names, own_memory = names_within(loop, state.carried, entries, overwritten)
        shared_memory = dict(zip(shared, state.memory, strict=True))
        within = {**run.memory, **shared_memory, **own_memory}

        inner = run.within(names=names, memory=within, numbers={loop.counter: number})
        inner.do(loop.body)
        asked.extend(inner.answers)
        is_covered = state.is_covered
        for answer in inner.answers:
            is_covered = is_covered & answer

        following = [inner.array(each.following) for each in loop.carried]
        written = [inner.memory[key] for key in shared]
        last = [inner.array(local) for local in left]
        kept = [inner.array(each.name) for each in loop.kept]
        return State(following, written, last, is_covered), kept

    first = State(
        carried=[cast(run.now(each.first), each.following.array) for each in loop.carried],
        memory=[run.memory[key] for key in shared],
        last=[jnp.zeros_like(local.array) for local in left],
        is_covered=jnp.array(True),
    )
    entries = [stacked_stream(run, each) for each in loop.streams]
    after, kept = jax.lax.scan(repetition, first, (jnp.arange(loop.count), entries))

    for x in overwritten:
        run.memory.pop(memory_of_value(x), None)  # a KeyError for whoever reads it now
    run.memory.update(zip(shared, after.memory, strict=True))
    at_end = dict(zip(left, after.last, strict=True))
    at_end |= {following: after.carried[place] for following, place in places.items()}
    note_results(run, loop, [at_end[local] for local in loop.last.values()], kept)
    if asked:
        run.answers.append(after.is_covered)


def names_within(
    loop: Loop, carried: Sequence[Any], entries: Sequence[Any], overwritten: Sequence[Value]
) -> tuple[dict[Value, Any], dict[int, Any]]:
    """Return what the names of a repetition stand for: arrays, or memory into which it writes."""
    names = dict(zip([each.name for each in loop.carried], carried, strict=True))
    own_memory = {memory_of_value(x): new_memory(x.array, names.pop(x)) for x in overwritten}
    names.update(zip([stream.name for stream in loop.streams], entries, strict=True))
    return names, own_memory


def note_results(run, loop: Loop, last: Sequence[Any], kept: Sequence[Any]) -> None:
    """Note in the run the values of the last repetition, and those that each of them has kept."""
    for value, found in zip(loop.last, last, strict=True):
        note_last_value(run, value, found)
    for each, stack in zip(loop.kept, kept, strict=True):
        run.kept.update((value, (stack, k)) for k, value in enumerate(each.values))


def note_last_value(run, value: Value, found: jax.Array) -> None:
    """Note a value of the last repetition, which the steps after the loop may write into."""
    if memory_of_value(value) in run.memories:
        run.memory[memory_of_value(value)] = new_memory(value.array, found)
    else:
        run.known[value] = found


def cast(x, like) -> jax.Array:
    """Return an array in the shape and precision of another."""
    return jnp.broadcast_to(jnp.asarray(x, np.result_type(like)), np.shape(like))


def stacked_stream(run, stream) -> jax.Array:
    """Return the entries that a loop takes one by one as one array."""
    parts = []
    for is_kept, group in groupby(stream.entries, lambda entry: stack_of(run, entry)):
        entries = list(group)
        if is_kept is not None:
            parts.append(part_of_stack(run, entries))
        elif any(isinstance(x, Value) for x in entries):
            parts.append(jnp.stack([jnp.asarray(run.now(x)) for x in entries]))
        else:
            parts.append(jnp.asarray(np.stack([np.asarray(x) for x in entries])))
    return parts[0] if len(parts) == 1 else jnp.concatenate(parts)


def stack_of(run, entry) -> int | None:
    """Return which of the arrays that loops have kept holds an entry; None where none does."""
    if not isinstance(entry, Value) or entry not in run.kept:
        return None
    return id(run.kept[entry][0])


def part_of_stack(run, entries: Sequence[Value]) -> jax.Array:
    """Return entries of one array that a loop has kept, as one array."""
    stack = run.kept[entries[0]][0]
    places = np.array([run.kept[entry][1] for entry in entries])
    steps = set(np.diff(places).tolist())
    if steps == {1}:
        return stack[places[0] : places[-1] + 1]
    if steps == {-1}:
        return stack[places[-1] : places[0] + 1][::-1]
    return stack[places]


def require_steady_memory(loop: Loop, written: set[int]) -> None:
    """Refuse a loop in which memory that is written is not the same in each repetition.

    `written` identifies the memory into which the program writes anywhere.
    """
    here = memory_written(loop.straight)
    overwritten = overwritten_names(loop)
    firsts = [each.first for each in loop.carried if each.name not in overwritten]
    entries = [x for stream in loop.streams for x in stream.entries]
    before = {memory_of_value(x) for x in (*firsts, *entries) if isinstance(x, Value)}
    direct = {memory_of_value(x) for x in direct_reads(loop)}
    own = [memory_of_value(x) for x in overwritten]
    following = [
        each.following for each in loop.carried if memory_of_value(each.following) in written
    ]

    if before & here:
        refuse_operation("a loop that writes into what it takes from before")
    if len({*own, *direct}) < len(own) + len(direct) or not all(map(owns_memory, overwritten)):
        refuse_operation("a loop that writes into memory under several names")
    if any(memory_of_value(value) in written for each in loop.kept for value in each.values):
        refuse_operation("a loop that keeps memory that is written")
    if len(set(map(memory_of_value, following))) < len(following):
        refuse_operation("a loop that hands on memory under several names")
    handed_on = [*following, *[x for x in loop.last if memory_of_value(x) in written]]
    if not all(map(owns_memory, handed_on)):
        refuse_operation("a loop that hands on a view of memory that is written")
    require_like_repetitions(loop, written)


def require_like_repetitions(loop: Loop, written: set[int]) -> None:
    """Refuse a loop whose repetitions have different views of memory that is written."""
    made = set(map(memory_of_value, made_within(loop.body)))
    direct, overwritten = direct_reads(loop), overwritten_names(loop)
    made.update(map(memory_of_value, overwritten))
    for target in targets(loop):
        if memory_of_value(target) not in made and target not in direct:
            refuse_operation("a loop that writes into changing memory")
    layouts = layouts_of(loop, overwritten, written)
    first = next(layouts)
    if any(each != first for each in layouts):
        refuse_operation("a loop whose views change")


def layouts_of(loop: Loop, overwritten: Sequence[Value], written: set[int]) -> Iterator[list[Any]]:
    """Yield where values stand in memory that is written, for each repetition."""
    steps, rows = loop.straight, loop.rows
    before = {each.name: each.first for each in loop.carried}
    period = len(steps) // loop.count
    for k in range(loop.count):
        origins = {
            memory_of_value(before[name]): -1 - place for place, name in enumerate(overwritten)
        }
        yield layout(steps[k * period : (k + 1) * period], written, origins)
        now = before | {value: row[k] for value, row in rows.items()}
        # a number that no row has stands in no memory
        before = {each.name: now.get(each.following, each.following) for each in loop.carried}


def layout(steps: Sequence[Any], written: set[int], origins: dict[int, int]) -> list[Any]:
    """Return where the values that a repetition makes stand in memory that is written.

    `origins` says by which step each memory is made.
    """
    found = []
    for place, step in enumerate(steps):
        for value in made_anew(step):
            memory = memory_of_value(value)
            if memory not in written:
                continue
            if owns_memory(value):
                origins[memory] = place
            if memory not in origins:
                refuse_operation("a view that a loop takes of memory from before")
            array, whole = value.array, root_array(value.array)
            offset = address(array) - address(whole)
            found.append((place, origins[memory], offset, array.strides, whole.strides))
    return found


def overwritten_names(loop: Loop) -> list[Value]:
    """List the carried names into whose memory the repetitions write."""
    own = set(map(memory_of_value, targets(loop)))
    return [each.name for each in loop.carried if memory_of_value(each.name) in own]


def direct_reads(loop: Loop) -> set[Value]:
    """Return the values from outside that the repetitions read, apart from what changes."""
    return {value for step in loop.body for value in reads(step)} & set(loop.outside)


def owns_memory(value: Value) -> bool:
    """Whether a value is all of its memory."""
    return root_array(value.array) is value.array


def made_within(steps: Sequence[Any]) -> list[Value]:
    """List the values that steps make, those of one repetition of loops included."""
    found = []
    for step in steps:
        found += made_anew(step)
        if isinstance(step, Loop):
            found += made_within(step.body)
    return found
