"""The reverse and the forward engine: what happens between a call of `grad` and its numbers.

Put here what every derivative needs, whatever arrays can do; what arrays answer to operators and
functions is in `arrays`. The reverse engine reads in one sitting, in this order:

    gradients             grad: a function is traced, and swept over once, from one for its result
    core.tracing          a function is run on a tape, and what goes in and comes out is taken apart
    core.tape             three lists, and how an operation is written into them
    arrays.fast_dispatch  `unary_on_tape`: how ``np.sin(x)`` gets there
    core.sweep            `plain_sweep`: from the cotangents of results back to those of inputs

Then, what makes it general and fast:

    core.levels           which of several nested derivatives an operation belongs to
    core.plans            which rule differentiates which call, found once per signature
    core.dispatch         slow dispatch: any call, with any arguments, to its plan
    core.recording        and from there onto a tape
    core.following        what entry points do with a refusal that a scope would answer
    core.saved_state      what its first run may have changed, put back for the second one
    core.config           `engine_of`, `new_tape`, and what rules of higher-order functions ask for

Beside them is forward mode, `duals`; other modes are packages of their own (`lanes`, `series`,
`chainrules_sparse.patterns`). All modes use `trees` (arguments, results, and whose arrays they
are), `values` (what has a tangent space), `partials` (what single numbers record), `tape_form`
(rules in the form for tapes), `inner_functions` (functions that rules get), `locked_tape` (threads).

Six words have one meaning everywhere. A *slot* is the number of a value on a tape. A *handle* is a
traced value: a value, its level, and its slot, or its tangent in forward mode. A *stage* is the
form of a rule for tapes: it returns the value, a pullback that is one function for all calls, and
the *residuals*, which are this call's part of it. To *resolve* a value is to make it one that
nothing changes later, and a cotangent, to sum it up and compute what was postponed. The *mode's
data* of an argument are its slots on a tape, and its tangent in forward mode.

Below the core are `refusals` (what is refused, and with which advice) and `overwriting` (plain
arrays that a program overwrites). What lies above reaches it by one hook each: `levels.writers`
(`in_place`), `sweep.other_steps` (`device_sweep`), the attribute `decisions` of a level
(`chainrules_foreign_code.bisections`), and `guests` (`chainrules_labels`: objects of other libraries).
"""
