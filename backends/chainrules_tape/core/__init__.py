"""The reverse and the forward engine: what happens between a call of `grad` and its numbers.

Put here what every derivative needs, whatever arrays can do; what arrays answer to operators and
functions is in `arrays`. The reverse engine reads in one sitting, in this order:

    gradients        grad: a function is traced, and swept over once, from one for its result
    core.config      engine_of, new_tape, and what rules of higher-order functions may ask for
    core.tracing     a function is run on a tape, and what goes in and comes out is taken apart
    core.levels      Level, call: which of several nested derivatives an operation belongs to
    core.tape        Tape, FinishedTape: three lists, and how an operation is written into them
    core.plans       Plan, Engine: which rule differentiates which call, found once per signature
    core.sweep       from the cotangents of the results back to those of the inputs

How an operator or a function comes to its plan is the next thing to read: `arrays.fast_dispatch`
for nearly all calls, `dispatch` for any, with `recording`, where it comes onto a tape.

Beside them: `duals` (forward mode), `trees` (arguments, results, and whose arrays they are),
`values` (what has a tangent space), `tape_form` (rules in the form for tapes), `inner_functions`
(functions that rules get), `zero_dimensional` (numbers as arrays without axes), `locked_tape`
(threads).

Four words have one meaning everywhere. *Residuals* are what a pullback was recorded with. To
*resolve* a value is to make it one that nothing changes later, and a cotangent, to sum it up and
compute what was postponed. A *slot* is the number of a value on a tape. The *mode's data* of an
argument are its slots on a tape, and its tangent in forward mode.

Below the core are `refusals` (what is refused, and with which advice) and `overwriting` (plain
arrays that a program overwrites). What lies above reaches it by one hook each: `levels.writers`
(`in_place`), `sweep.other_steps` (`device_sweep`), and the attribute `decisions` of a level
(`foreign_code.bisections`).
"""
