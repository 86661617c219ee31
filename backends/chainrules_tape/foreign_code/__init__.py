"""Seeing through other people's modules: inside a scope, their plain NumPy code is differentiated
as it stands.

Put here what is rebound in the modules of a package that is named, and by what; nothing about
derivatives. In reading order:

    scope           seen_through: which packages are seen through just now, and what ends it
    plans           what is replaced in which module; it is found once, and looked through for changes at the next scope
    walks           how it is found: globals, defaults, closures, attributes of classes, lists and dicts
    places          where something is replaced, and how it is put back
    replacements    what stands in the place of a module or function of NumPy, SciPy, `math` or `cmath`
    math_functions  `math` and `cmath` for traced numbers
    codes           the code of functions with other functions in the place of those that it calls
    conversions     ``float(x)``, ``int(x)``, ``complex(x)`` and ``type(x)`` in the code of functions
    ufuncs_of_lists, float_classes, asking, called_defaults
                    what else is called there in the place of something: see each
    cached, held_methods
                    functions with a cache, and methods of distributions that a module holds
    statistics_functions, bottleneck_functions
                    `statistics` and `bottleneck` for traced numbers and arrays
    methods         ``x.item()`` and ``x.tolist()``, asked by code that is seen through
    decisions       comparisons and signs are noted, so that a search by them alone is found
    compiled        functions that numba compiles
    imports         imports inside functions, and modules that are imported later
    trying          what ``chainrules try`` says of a call

With plain values each replacement calls the original. NumPy's own modules, and Python's, are left
as they are.
"""
