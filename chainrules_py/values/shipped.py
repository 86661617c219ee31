"""Tables of what this distribution ships: the modules with the rules of functions, and backends.

    PACKS         by the home of a function: the modules that have all rules of that home
    OTHER_NAMES   by the home of a function: the modules that say which names are one function
    MODULE_OF     by the name of a function: the one module that has its rules of differentiation
    BATCHED_IN    by the same name: the one module that has its rules for many examples, if any
    BACKENDS      by the root module of an array class

A look-up imports the one module if there is one, and else the whole pack; so a rule may stand
anywhere without a word here, and costs its first user some 20 ms. A function that stands here has
all its rules in the modules that are named.
"""

_ALL_OF_NUMPY = ("chainrules_py.rulesets.numpy",)
PACKS = {
    "numpy": _ALL_OF_NUMPY,
    "numpy.linalg": ("chainrules_py.rulesets.linalg.all_functions",),
    "numpy.fft": ("chainrules_py.rulesets.fft",),
    "numpy.polynomial": ("chainrules_py.rulesets.polynomial.all_families",),
    "numpy.random": ("chainrules_py.rulesets.draws",),
    "scipy.fft": ("chainrules_py.rulesets.scipy.fft",),
    "scipy.integrate": ("chainrules_py.rulesets.scipy.integrate",),
    "scipy.interpolate": ("chainrules_py.rulesets.scipy.interpolate",),
    "scipy.linalg": ("chainrules_py.rulesets.scipy.linalg",),
    "scipy.ndimage": ("chainrules_py.rulesets.scipy.ndimage",),
    "scipy.optimize": ("chainrules_py.rulesets.scipy.optimize",),
    "scipy.signal": ("chainrules_py.rulesets.scipy.signal",),
    "scipy.sparse": ("chainrules_py.rulesets.scipy.sparse",),
    "scipy.special": ("chainrules_py.rulesets.scipy.special",),
    "scipy.stats": ("chainrules_py.rulesets.scipy.stats",),
    "chainrules_py": _ALL_OF_NUMPY,  # functions of which rules are made
    "chainrules_py.makers.implicit": ("chainrules_py.rulesets.functions.implicit",),
    "math": (*_ALL_OF_NUMPY, "chainrules_py.rulesets.ufuncs.math_functions"),
    "operator": _ALL_OF_NUMPY,
    "builtins": _ALL_OF_NUMPY,
    "functools": _ALL_OF_NUMPY,
}

_NAMES_OF_NUMPY = ("chainrules_numpy.aliases",)
OTHER_NAMES = {
    "numpy": _NAMES_OF_NUMPY,
    "numpy.linalg": ("chainrules_numpy.linalg_aliases",),
    "math": _NAMES_OF_NUMPY,
    "operator": _NAMES_OF_NUMPY,
    "builtins": _NAMES_OF_NUMPY,
    "functools": _NAMES_OF_NUMPY,
}

_FUNCTIONS_OF_NUMPY = {
    "entries.choosing": "choose select",
    "entries.indexing": "compress delete extract take take_along_axis trim_zeros",
    "entries.placing": "copyto fill_diagonal place put put_along_axis putmask",
    "entries.selection": "clip where",
    "entries.set_operations": "intersect1d setdiff1d setxor1d union1d",
    "entries.sorting": """partition sort sort_complex unique unique_all unique_counts
        unique_inverse unique_values""",
    "functions.higher_order": "apply_along_axis apply_over_axes piecewise",
    "linalg.cholesky": "linalg.cholesky",
    "linalg.condition": "linalg.cond",
    "linalg.determinants": "linalg.det linalg.slogdet",
    "linalg.eigen_general": "linalg.eig linalg.eigvals",
    "linalg.eigen_hermitian": "linalg.eigh linalg.eigvalsh",
    "linalg.inverses": "linalg.inv linalg.pinv linalg.tensorinv",
    "linalg.least_squares": "linalg.lstsq",
    "linalg.non_differentiable": "linalg.matrix_rank",
    "linalg.norms": "linalg.matrix_norm linalg.norm linalg.vector_norm",
    "linalg.products": "linalg.matrix_power linalg.multi_dot",
    "linalg.qr": "linalg.qr",
    "linalg.solvers": "linalg.solve linalg.tensorsolve",
    "linalg.svd": "linalg.svd linalg.svdvals",
    "non_differentiable": """all allclose any argmax argmin argpartition argsort argwhere
        array_equal array_equiv bitwise_and bitwise_count bitwise_or bitwise_xor can_cast
        common_type count_nonzero diag_indices_from digitize einsum_path empty_like equal
        flatnonzero floor_divide gcd greater greater_equal invert isclose iscomplex iscomplexobj
        isfinite isin isinf isnan isneginf isposinf isreal isrealobj lcm left_shift less less_equal
        lexsort logical_and logical_not logical_or logical_xor may_share_memory min_scalar_type
        nanargmax nanargmin ndim nonzero not_equal ones_like packbits ravel_multi_index result_type
        right_shift searchsorted shape shares_memory signbit size tril_indices_from
        triu_indices_from unpackbits unravel_index zeros_like""",
    "polynomial.polynomial_fit": "polyfit",
    "polynomial.polynomials": "poly polyadd polyder polydiv polyint polymul polysub polyval roots",
    "products.contractions": "dot inner tensordot",
    "products.convolution": "convolve correlate",
    "products.einsum": "einsum",
    "products.products": "cross kron matmul matvec outer vdot vecdot vecmat",
    "reductions.covariance": "corrcoef cov",
    "reductions.cumulative": "cumprod cumsum cumulative_prod cumulative_sum nancumprod nancumsum",
    "reductions.histograms": "bincount histogram histogram2d histogram_bin_edges histogramdd",
    "reductions.quantiles": "median nanmedian nanpercentile nanquantile percentile quantile",
    "reductions.reductions": "max mean min nanmax nanmean nanmin nanprod nansum prod ptp sum",
    "reductions.statistics": "average nanstd nanvar std var",
    "sampled.differences": "diff ediff1d trapezoid unwrap",
    "sampled.interpolation": "interp",
    "sampled.sampled_gradient": "gradient",
    "sampled.spacing": "geomspace linspace logspace",
    "shapes.construction": """array asanyarray asarray ascontiguousarray asfortranarray astype copy
        full full_like""",
    "shapes.diagonals": "diag diagflat diagonal trace tril triu vander",
    "shapes.inserting": "insert",
    "shapes.joining": "append block column_stack concatenate dstack hstack stack vstack",
    "shapes.padding": "pad",
    "shapes.rearranging": "flip fliplr flipud repeat resize roll rot90 tile",
    "shapes.shaping": """atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_to expand_dims
        ix_ matrix_transpose meshgrid moveaxis ravel reshape rollaxis squeeze swapaxes transpose""",
    "shapes.splitting": "array_split dsplit hsplit split unstack vsplit",
    "ufuncs.complex_parts": "angle conjugate imag nan_to_num real real_if_close round sign",
    "ufuncs.elementwise": """absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt
        ceil copysign cos cosh deg2rad degrees divide divmod exp exp2 expm1 fabs float_power floor
        fmax fmin fmod frexp heaviside hypot ldexp log log10 log1p log2 logaddexp logaddexp2
        maximum minimum modf multiply negative nextafter positive power rad2deg radians reciprocal
        remainder rint sin sinh spacing sqrt square subtract tan tanh trunc""",
    "ufuncs.sinc_and_i0": "i0 sinc",
}
_OTHER_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "entries.indexing": ("operator.getitem",),
    "entries.replacing": ("chainrules_py.rulesets.entries.replacing.replaced",),
    "entries.scatter": ("chainrules_py.rulesets.entries.scatter.scatter_add",),
    "entries.writing": ("numpy.add.at", "numpy.subtract.at", "operator.setitem"),
    "formulas.without_cancellation": (
        "chainrules_py.rulesets.formulas.without_cancellation.one_minus_square",
    ),
    "linalg.adjugates": ("chainrules_py.rulesets.linalg.adjugates.adjugate",),
    "linalg.degeneracy": ("chainrules_py.rulesets.linalg.degeneracy.differentiable_once",),
    "linalg.hermitian_functions": (
        "chainrules_py.rulesets.linalg.hermitian_functions.hermitian_function",
    ),
    "shapes.windows": ("numpy.lib.stride_tricks.sliding_window_view",),
    "ufuncs.elementwise": ("chainrules_py.makers.products.guarded_product",),
    "ufuncs.sinc_and_i0": ("chainrules_py.rulesets.ufuncs.sinc_and_i0.bessel_i1",),
}

_BATCHED_OF_NUMPY = {
    "entries.batched_queries": """allclose array_equal array_equiv compress einsum_path
        extract isin lexsort packbits ravel_multi_index sort_complex trim_zeros unpackbits""",
    "entries.batched_reading": "argpartition argsort partition sort take take_along_axis",
    "entries.batched_sets": """intersect1d setdiff1d setxor1d union1d unique unique_all
        unique_counts unique_inverse""",
    "entries.batched_writing": "copyto fill_diagonal place put put_along_axis putmask",
    "linalg.batching": """linalg.cholesky linalg.cond linalg.det linalg.eig linalg.eigh
        linalg.eigvals linalg.eigvalsh linalg.inv linalg.lstsq linalg.matrix_norm
        linalg.matrix_power linalg.matrix_rank linalg.multi_dot linalg.norm linalg.pinv
        linalg.qr linalg.slogdet linalg.solve linalg.svd linalg.svdvals linalg.tensorinv
        linalg.tensorsolve linalg.vector_norm""",
    "non_differentiable": """can_cast common_type empty_like iscomplexobj isrealobj ndim
        ones_like result_type shape size zeros_like""",
    "polynomial.batched_series": """poly polyadd polyder polydiv polyfit polyint polymul
        polysub polyval roots vander""",
    "products.batched_products": """convolve correlate cross dot einsum inner kron matmul
        matvec outer tensordot vdot vecdot vecmat""",
    "reductions.batched_histograms": """bincount histogram histogram2d histogram_bin_edges
        histogramdd""",
    "reductions.batched_reductions": """all any argmax argmin average corrcoef count_nonzero
        cov cumprod cumsum cumulative_prod cumulative_sum max mean median min nanargmax
        nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod
        nanquantile nanstd nansum nanvar percentile prod ptp quantile std sum var""",
    "sampled.batched_samples": """diff digitize ediff1d geomspace gradient interp linspace
        logspace searchsorted trapezoid unwrap""",
    "shapes.batched_layouts": """array asanyarray asarray ascontiguousarray asfortranarray
        copy real_if_close""",
    "shapes.batched_shapes": """append array_split astype atleast_1d atleast_2d atleast_3d
        block broadcast_arrays broadcast_to column_stack concatenate delete diag diagflat
        diagonal dsplit dstack expand_dims flip fliplr flipud full full_like hsplit hstack
        insert ix_ matrix_transpose meshgrid moveaxis pad ravel repeat reshape resize roll
        rollaxis rot90 split squeeze stack swapaxes tile trace transpose tril triu unstack
        vsplit vstack""",
    "ufuncs.batched_ufuncs": """angle choose clip diag_indices_from flatnonzero imag isclose
        iscomplex isneginf isposinf isreal nan_to_num nonzero real round select
        tril_indices_from triu_indices_from unravel_index where""",
}
_OTHER_BATCHED: dict[str, tuple[str, ...]] = {
    "entries.batched_reading": (
        "chainrules_py.rulesets.entries.replacing.replaced",
        "chainrules_py.rulesets.entries.scatter.scatter_add",
        "operator.getitem",
    ),
    "entries.batched_writing": ("numpy.add.at", "numpy.subtract.at", "operator.setitem"),
    "linalg.batching": (
        "chainrules_py.rulesets.linalg.adjugates.adjugate",
        "chainrules_py.rulesets.linalg.degeneracy.differentiable_once",
        "chainrules_py.rulesets.linalg.hermitian_functions.hermitian_function",
    ),
    "shapes.batched_shapes": ("numpy.lib.stride_tricks.sliding_window_view",),
    "ufuncs.batched_ufuncs": (
        "chainrules_py.rulesets.formulas.without_cancellation.one_minus_square",
        "chainrules_py.rulesets.ufuncs.sinc_and_i0.bessel_i1",
    ),
}


def _modules_by_function(
    functions_of_numpy: dict[str, str], other_functions: dict[str, tuple[str, ...]]
) -> dict[str, str]:
    of_numpy = {
        f"numpy.{name}": module
        for module, names in functions_of_numpy.items()
        for name in names.split()
    }
    others = {name: module for module, names in other_functions.items() for name in names}
    return {
        name: f"chainrules_py.rulesets.{module}" for name, module in (of_numpy | others).items()
    }


MODULE_OF = _modules_by_function(_FUNCTIONS_OF_NUMPY, _OTHER_FUNCTIONS)
BATCHED_IN = _modules_by_function(_BATCHED_OF_NUMPY, _OTHER_BATCHED)

BACKENDS = {
    "array_api_strict": "chainrules_array_api.strict",
    "numpy": "chainrules_numpy",
    "autograd": "chainrules_autograd",
    "cupy": "chainrules_cupy",
    "cupyx": "chainrules_cupy.scipy_aliases",
    "dask": "chainrules_dask",
    "jax": "chainrules_jax",
    "jaxlib": "chainrules_jax",
    "sparse": "chainrules_array_api.sparse_arrays",
    "torch": "chainrules_torch",
    "scipy": "chainrules_py.rulesets.products.sparse_products",
}

# Rules in these modules are known to be right: a table makes each when it is asked for.
OURS = frozenset(
    [name for names in (*PACKS.values(), *OTHER_NAMES.values()) for name in names]
    + [*MODULE_OF.values(), *BATCHED_IN.values(), *BACKENDS.values()]
)
