"""Rules of SciPy's functions, a package per module of SciPy.

Each is loaded when one of its functions is asked for.

A name of SciPy without a rule stands in `rulesets/without_rules.toml`, with the reason. Functions
that SciPy writes in Python do not hand traced values over: engines have names of their own for
them, the tape `chainrules_tape.scipy`.

Two helpers serve all packages. `options` reads the defaults of options from SciPy's signatures, so
that a rule names each option once. `linear_pairs` declares a linear function next to an algorithm
for its adjoint.

Values are SciPy's own wherever it can compute them. These algorithms are written anew in NumPy,
because a derivative needs parts of them that SciPy does not hand out:

    interpolate/cubic, grids, radial    interpolants by knots, values and points
    interpolate/b_splines               the matrix of B-splines at points
    ndimage/spline_sums                 B-splines of images and their derivatives
    integrate/collocation               the stages of Radau
    integrate/fixed_nodes               Gauss's and Kronrod's rules on panels
    special/series, incomplete, ...     series and fractions that derivatives need digits of
"""
