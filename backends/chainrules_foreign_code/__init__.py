"""Foreign code: plain NumPy modules are differentiated as they stand, one's own and, in a scope, others.

Put here what is replaced in the modules of a package that is named, or of a file, and by what. No formula of a
derivative stands here, and no function but those below asks who calls it: whoever is replaced gets a
function that means what foreign code needs. With plain values each replacement calls the original. NumPy's own
modules, and Python's, are left as they are. In reading order:

    scope             which packages are seen through now, and until when
    seen_functions    `seen_through`: that scope, or a function with its own file
    following         what is seen through by itself, because a refusal names it

    own_files         finds the functions of a file, and exchanges their code, once and for good
    exchanged_code    the code that asks for its callees, compiled from the source
    callees           what is called in the place of what; exchanges functions that come later
    noting_levels     levels that note what such code decides

    plans             the places of a module, found once and looked through for changes later
    walks             finds them: globals, defaults, closures, attributes, lists and dicts
    substitutions     fills a place, and puts back what was there
    imports           imports inside functions, and modules that are imported later

    replacements      the replacement of a value that a module holds
    own_modules       SciPy's modules as this library's own modules see them
    stand_in_modules  the modules in the place of NumPy's and SciPy's
    math_functions    `math` and `cmath` for traced values
    alternatives      functions with a cache, and functions that Numba compiles

    replaced_calls    which calls in the code of functions are replaced
    conversions       ``float(x)``, ``int(x)``, ``numpy.float64(x)`` and their like
    methods           ``x.item()``, ``x.round(decimals)``, ``a.dot(x)`` and their like
    new_arrays        ``zeros`` and its like, where they are written to, and in SciPy's modules
    rounding, steps   functions with steps, which clean up digits or count
    ufuncs_of_lists, refused_calls
                      ufuncs of lists, `fractions` and its like

    decisions         notes comparisons and signs of traced values, in scopes and at such levels
    bisections        finds by them what loses a derivative: searches, and branches for one number

    report            what ``chainrules try`` says of a call

An operator has no name that could be replaced. So two questions are asked of the frame that calls,
by `instrumented_packages.is_seen_through`: whether ``x // c`` and its like, and ufuncs with steps,
are foreign (`steps`), and whether ``a *= x`` is (`in_place.augmented_constants`). A third one is
whether code of SciPy's holds traced values (`new_arrays`).
"""

from chainrules_py.version import __version__ as __version__
