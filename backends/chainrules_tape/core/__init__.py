"""The reverse and the forward engine: what happens between a call of `grad` and its numbers.

Put here what every derivative needs, whatever arrays can do; what arrays answer to operators and
functions is in `arrays`. The reverse engine reads in one sitting, in this order:

    gradients        grad: a function is traced, and swept over once, from one for its result
    core.config      engine_of, new_tape, and what rules of higher-order functions may ask of this engine
    core.tracing     a function is run on a tape, and what goes in and comes out is taken apart
    core.levels      Level, call: which of several nested derivatives an operation belongs to
    core.tape        Tape, TapeArray, FinishedTape: three lists, and how an operation is written into them
    core.plans       Plan, Engine: which rule differentiates which call, looked up once per signature
    core.sweep       from the cotangents of the results back to those of the inputs

How an operator or a function comes to its plan is the next thing to read: `arrays.fast_calls` for
nearly all calls, `general_way` for any, with `recording`, where it comes onto a tape.

Beside them: `duals` (forward mode), `handles` (what the differentiated function sees), `trees`
(arguments, results, and whose arrays they are), `values` (what has a tangent space), `stages`
(rules in the form for tapes), `constants` (arrays that a program may overwrite), `inner_functions`
(functions that rules get), `places` (numbers as arrays without axes), `sharing` (threads),
`device_sweep` (what a sweep saves where arrays are on a device), `interrupts` (exceptions of signal
handlers), `seen` and `searches` (for code that is seen through).

What refuses and advises: `subclasses` (what is refused), `errors` with the sentences of
`asked_of_arrays` and `at_hand`, `error_notes` (what is said beside a foreign error),
`compiled_calls` (of functions that are no Python), `bypassed` (functions with a rule that are no
primitives), `escaped` (what keeps a value that outlived its call), `installed` (whose code a file
holds). No module here imports `arrays`, `xp`, `showing` or what people call.
"""
