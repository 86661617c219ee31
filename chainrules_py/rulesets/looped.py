"""Functions with a derivative of which many examples are computed one by one, and why.

`batched`, `vmap` and the adapters call these once for each example: that gives the same and costs
what a loop of one's own costs. Whoever writes a rule for batching takes its function off this list;
a test holds the list against the table, so that it may only become shorter.
"""

LOOPED: dict[str, tuple[str, ...]] = {
    "each example takes iterations of its own": (
        "chainrules_py.makers.implicit.solution",
        "scipy.optimize._lsq.least_squares.least_squares",
        "scipy.optimize._lsq.lsq_linear.lsq_linear",
        "scipy.optimize._minimize.minimize",
        "scipy.optimize._minimize.minimize_scalar",
        "scipy.optimize._minpack_py.curve_fit",
        "scipy.optimize._minpack_py.fixed_point",
        "scipy.optimize._minpack_py.fsolve",
        "scipy.optimize._minpack_py.leastsq",
        "scipy.optimize._nnls.nnls",
        "scipy.optimize._root.root",
        "scipy.optimize._root_scalar.root_scalar",
        "scipy.optimize._zeros_py.bisect",
        "scipy.optimize._zeros_py.brenth",
        "scipy.optimize._zeros_py.brentq",
        "scipy.optimize._zeros_py.newton",
        "scipy.optimize._zeros_py.ridder",
        "scipy.optimize._zeros_py.toms748",
    ),
    "each example is integrated with steps of its own": (
        "chainrules_py.rulesets.scipy.integrate.initial_values.solve",
        "chainrules_py.rulesets.scipy.integrate.odeint.odeint",
        "chainrules_py.rulesets.scipy.integrate.quadrature.dblquad",
        "chainrules_py.rulesets.scipy.integrate.quadrature.fixed_quad",
        "chainrules_py.rulesets.scipy.integrate.quadrature.integral",
        "chainrules_py.rulesets.scipy.integrate.quadrature.nquad",
        "chainrules_py.rulesets.scipy.integrate.quadrature.quad",
        "chainrules_py.rulesets.scipy.integrate.quadrature.quad_vec",
        "chainrules_py.rulesets.scipy.integrate.quadrature.tplquad",
    ),
    "SciPy or Python takes one array, and a loop costs as much as a rule would": (
        "chainrules_py.rulesets.scipy.signal.smoothing.savgol_weights",
        "math.fsum",
        "scipy.ndimage._fourier.fourier_ellipsoid",
        "scipy.ndimage._interpolation.affine_transform",
        "scipy.ndimage._interpolation.shift",
        "scipy.ndimage._interpolation.zoom",
        "scipy.signal._spline_filters.cspline1d",
        "scipy.signal._spline_filters.qspline1d",
    ),
    "sparse matrices have no stacks": (
        "chainrules_py.rulesets.scipy.sparse.linalg.least_squares.least_squares_solution",
        "scipy.sparse.linalg._isolve._gcrotmk.gcrotmk",
        "scipy.sparse.linalg._isolve.iterative.bicg",
        "scipy.sparse.linalg._isolve.iterative.bicgstab",
        "scipy.sparse.linalg._isolve.iterative.cg",
        "scipy.sparse.linalg._isolve.iterative.cgs",
        "scipy.sparse.linalg._isolve.iterative.gmres",
        "scipy.sparse.linalg._isolve.iterative.qmr",
        "scipy.sparse.linalg._isolve.lgmres.lgmres",
        "scipy.sparse.linalg._isolve.minres.minres",
        "scipy.sparse.linalg._isolve.tfqmr.tfqmr",
        "scipy.sparse.linalg._norm.norm",
    ),
    "it calls a function, whose calls an engine sees one by one": (
        "functools.reduce",
        "map",
        "numpy.apply_along_axis",
        "numpy.apply_over_axes",
        "numpy.lib._function_base_impl.vectorize.__call__",
        "numpy.piecewise",
    ),
    "NumPy returns the values in an order of its own": ("numpy.unique_values",),
}
