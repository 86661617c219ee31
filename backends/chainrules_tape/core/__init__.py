"""The reverse and the forward engine: what happens between a call of `grad` and its numbers.

Put here what every derivative needs, whatever arrays can do; what arrays answer to operators and functions is in `arrays`. In
reading order:

    levels         TracedArray, Level: the handle that a function sees, and which nested derivative an operation is for
    plans          Plan, Engine, Derivative: which rule differentiates which call, looked up once per signature
    tape           Tape, TapeArray, FinishedTape: three lists, and the general way by which any call comes onto them
    sweep          from the cotangents of the results back to those of the inputs
    tracing        a function is run on a tape (or forward), and what goes in and comes out is taken apart
    config         engine_of, and what rules of higher-order functions may ask of this engine

Beside them: `duals` (forward mode), `trees` and `ownership` (arguments and results), `values` (what has a tangent space),
`overwritten` and `subclasses` (what is refused), `errors` with the sentences of `asked_of_arrays`, `error_notes` and `bypassed`
(what is said beside a foreign error), `sharing` (threads), and `device_sweep` (what a
sweep saves where arrays are on a device). No module here imports `arrays`, `xp`, `showing` or what people call.
"""
