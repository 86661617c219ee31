"""Foreign code: plain NumPy modules, yours and others', are differentiated as they stand.

Put here what the functions of a file or a package call, and how they come to call it: they are lent
other codes while a derivative is open, and nothing else of a module is touched. No formula of a
derivative stands here, and no function but those below asks who calls it. With plain values each
replacement calls the original. In reading order:

    seen_functions    `seen_through`: packages, or a function with its own file
    scope             packages by their names
    following         what is seen through by itself, because a refusal names it

    lent_code         the codes that functions have while a derivative is open, and the end of that
    exchanged_code    the code that asks for its callees, compiled from the source
    callees           what is called in the place of what; which functions are lent other codes
    held_functions    which functions a file or a module holds
    noting_levels     levels that note what such code decides

    replacements      what stands for a function, a class or a module of NumPy's, SciPy's or Python's
    stand_in_modules  the modules in the place of NumPy's and SciPy's
    math_functions    `math` and `cmath` for traced values
    alternatives      functions with a cache, and functions that Numba compiles

    replaced_calls    which calls are replaced in the code of functions without a source
    conversions       ``float(x)``, ``int(x)``, ``numpy.float64(x)`` and their like
    methods           ``x.item()``, ``x.round(decimals)``, ``a.dot(x)`` and their like
    new_arrays        ``zeros`` and its like, where they are written to, and in SciPy's modules
    rounding, steps   functions with steps, which clean up digits or count
    ufuncs_of_lists, refused_calls
                      ufuncs of lists, `fractions` and its like

    decisions         notes comparisons and signs of traced values
    bisections        finds by them what loses a derivative: searches, and branches for one number

    report            what ``chainrules try`` says of a call

An operator has no name that could be replaced. So two questions are asked of the frame that calls,
by `instrumented_packages.is_seen_through`: whether ``x // c`` and its like, and ufuncs with steps,
are foreign (`steps`), and whether ``a *= x`` is (`in_place.augmented_constants`). A third one is
whether code of SciPy's holds traced values (`new_arrays`).
"""

from chainrules_py.version import __version__ as __version__
