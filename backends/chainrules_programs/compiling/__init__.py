"""Compiled gradients: programs that are recorded once and run as straight NumPy code.

Put here what happens between a call of `compiled(f)` and the program that answers it; how arrays
write down what is done with them is in `chainrules_programs.recording`. Read in this order:

    compile               `compiled`: the cache of programs, and which calls stay on the tape
    signatures            the key of the cache: containers, classes, dtypes and shapes of a call
    programs              a call is recorded, once or twice (`known_code`, `agreement`), and made a program
    surroundings          what else the function reads: globals, captured variables, attributes
        kinds_of_values, places, rebinding, effects
    passes                Program to Program: what is computed twice, or not needed, goes
    source, executable    the program as text that a person could have written, and as a function
        constants, results
    inspection, modules   what people are told, and the text as a module that needs nothing of ours
    to_jax, jax_memory    the same programs run by XLA
"""
