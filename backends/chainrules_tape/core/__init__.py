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
    core.reached_code     which of the user's code a function leads to, and whether that is other code now
    core.saved_state      what its first run may have changed, put back for the second one
    core.config           `engine_of`, `new_tape`, and what rules of higher-order functions ask for

Beside them are forward mode, `duals`, and `kinks`, second derivatives where a length is zero; other
modes are packages of their own (`lanes`, `series`, `chainrules_sparse.patterns`). All modes use
`trees` (arguments, results, and whose arrays they are), `values` (what has a tangent space),
`partials` (what single numbers record), `tape_form` (rules in the form for tapes), `given_numbers`
(NumPy's numbers in the place of Python's), `inner_functions` (functions that rules get),
`locked_tape` (threads).

A worked example, ``grad(lambda x: grad(lambda y: x * y * y)(2.0))(3.0)``, whose words are those of
`docs/design/words.md`:

    level 1      x is a handle on 3.0, slot 0 of the first tape
    level 2      y is a handle on 2.0, slot 0 of the second tape
    ``x * y``    belongs to level 2, the latest among its operands. Its rule runs on (x, 2.0), and
                 the product in it belongs to level 1, which records it, too
    the sweep    of the second tape calls ``pull(residuals, y_bar)`` slot by slot, the last one
                 first; what arrives at slot 0 is a handle of level 1: the outer function goes on

Below the core are `refusals` (what is refused, and with which advice) and `overwriting` (plain
arrays that a program overwrites). What lies above reaches it by one hook each: `levels.writers`
(`in_place`), `sweep.other_steps` (`device_sweep`), the attribute `decisions` of a level
(`chainrules_foreign_code.bisections`), and `guests` (`chainrules_labels`: objects of other libraries).
"""
