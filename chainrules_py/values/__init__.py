"""Questions about values and functions that know nothing of derivatives.

    records           classes of named values, declared as dataclasses are
    structure         the fields of containers, and containers made again of other fields
    arrays            `Array`, `Scalar`, and the libraries whose classes these are
    indices           the one form in which rules see an index, and reading at indices that are traced
    shipped           which module has the rules of which function
    late_names        names found by their first use, of a package or of a module with other functions
    discovery         rule packs and array libraries, loaded when they are needed
    identity          names of functions and where they are defined, for messages
    signatures        signatures of functions, of NumPy's in C too
    wrappers          what partials, methods, descriptors and caches hold
    captured_values   the values that a function reads of its surroundings
    operators         Python's operators by name, and the ufunc that each of them is
    python_numbers    Python's operators as functions of numbers in NumPy's form
    plain_code        the code of primitives and rules, which sees plain values only
    notebooks         tables in HTML
    progress          how far a long computation is, a line on a terminal

Read `structure` first, then `arrays`. What is put here can be asked of a value or a function alone:
it imports no rule and no tangent.
"""
