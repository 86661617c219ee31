"""Seeing through other people's modules: inside a scope, their plain NumPy code is differentiated as it stands.

Put here what is rebound in the modules of a package that is named, and by what; nothing about derivatives. To be read in this order:

    scope           seen_through: which packages are seen through just now, and what ends it
    rebinding       what is replaced in a module: globals, defaults, closures, attributes of classes, and how it is put back
    replacements    what stands in the place of a module or function of NumPy, SciPy, `math` or `cmath`
    math_functions  `math` and `cmath` for traced numbers
    conversions     ``float(x)``, ``int(x)``, ``complex(x)`` and ``type(x)`` in the code of functions
    imports         imports inside functions, and modules that are imported later

With plain values each replacement calls the original. NumPy's own modules, and Python's, are left as they are.
"""
