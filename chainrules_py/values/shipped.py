"""Tables of what this distribution ships: the modules with the rules of functions, and backends.

    PACKS         by the home of a function: the modules that have all rules of that home
    OTHER_NAMES   by the home of a function: the modules that say which names are one function
    MODULE_OF     by the name of a function: the one module that has its rules of differentiation
    BATCHED_IN    by the same name: the one module that has its rules for many examples, if any
    UNLISTED      packages whose functions may have rules without a word in MODULE_OF
    BACKENDS      by the root module of an array class

A look-up imports the one module if there is one, and else the whole pack; so a rule of a function
in UNLISTED may stand anywhere without a word here, and costs its first user some 20 ms. All other
functions of NumPy's and SciPy's that have rules are listed by their public module, so that one can
tell that a function has none without importing any, and have all their rules in the modules that
are named. Rules of SciPy's functions for many examples are imported with their whole pack.
"""

_ALL_OF_NUMPY = ("chainrules_py.rulesets.numpy",)
PACKS = {
    "numpy": _ALL_OF_NUMPY,
    "numpy.linalg": ("chainrules_py.rulesets.linalg.all_functions",),
    "numpy.fft": ("chainrules_py.rulesets.fft",),
    "numpy.polynomial": ("chainrules_py.rulesets.polynomial.all_families",),
    "numpy.random": ("chainrules_py.rulesets.draws",),
    "scipy.fft": ("chainrules_py.rulesets.scipy.fft.all_functions",),
    "scipy.integrate": ("chainrules_py.rulesets.scipy.integrate.all_functions",),
    "scipy.interpolate": ("chainrules_py.rulesets.scipy.interpolate.all_functions",),
    "scipy.linalg": ("chainrules_py.rulesets.scipy.linalg.all_functions",),
    "scipy.ndimage": ("chainrules_py.rulesets.scipy.ndimage.all_functions",),
    "scipy.optimize": ("chainrules_py.rulesets.scipy.optimize.all_functions",),
    "scipy.signal": ("chainrules_py.rulesets.scipy.signal.all_functions",),
    "scipy.sparse": ("chainrules_py.rulesets.scipy.sparse.all_functions",),
    "scipy.special": ("chainrules_py.rulesets.scipy.special.all_functions",),
    "scipy.stats": ("chainrules_py.rulesets.scipy.stats.all_functions",),
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
    "fft": """fft.fft fft.fft2 fft.fftfreq fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifft2
        fft.ifftn fft.ifftshift fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2
        fft.rfftfreq fft.rfftn""",
    "functions.higher_order": "apply_along_axis apply_over_axes piecewise",
    "functions.vectorizing": "lib.vectorize.__call__",
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
        array2string array_equal array_equiv array_repr array_str bitwise_and bitwise_count
        bitwise_or bitwise_xor busday_count busday_offset can_cast common_type count_nonzero
        datetime_as_string diag_indices_from digitize einsum_path empty_like equal flatnonzero
        floor_divide gcd greater greater_equal invert is_busday isclose iscomplex iscomplexobj
        isfinite isin isinf isnan isnat isneginf isposinf isreal isrealobj lcm left_shift less
        less_equal lexsort logical_and logical_not logical_or logical_xor may_share_memory
        min_scalar_type nanargmax nanargmin ndim nonzero not_equal ones_like packbits
        ravel_multi_index result_type right_shift searchsorted shape shares_memory signbit size
        tril_indices_from triu_indices_from unpackbits unravel_index zeros_like""",
    "polynomial.polynomial_fit": "polyfit",
    "polynomial.polynomials": "poly polyadd polyder polydiv polyint polymul polysub polyval roots",
    "products.contractions": "dot inner tensordot",
    "products.convolution": "convolve correlate",
    "products.einsum": "einsum",
    "products.products": "cross kron matmul matvec outer vdot vecdot vecmat",
    "reductions.covariance": "corrcoef cov",
    "reductions.cumulative": "cumprod cumsum cumulative_prod cumulative_sum",
    "reductions.histograms": "bincount histogram histogram2d histogram_bin_edges histogramdd",
    "reductions.quantiles": "median nanmedian nanpercentile nanquantile percentile quantile",
    "reductions.reductions": """max mean min nancumprod nancumsum nanmax nanmean nanmin nanprod
        nansum prod ptp sum""",
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
    "shapes.windows": "lib.stride_tricks.sliding_window_view",
    "ufuncs.complex_parts": "angle conjugate imag nan_to_num real real_if_close round sign",
    "ufuncs.elementwise": """absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt
        ceil copysign cos cosh deg2rad degrees divide divmod exp exp2 expm1 fabs float_power floor
        fmax fmin fmod frexp heaviside hypot ldexp log log10 log1p log2 logaddexp logaddexp2
        maximum minimum modf multiply negative nextafter positive power rad2deg radians reciprocal
        remainder rint sin sinh spacing sqrt square subtract tan tanh trunc""",
    "ufuncs.emath": """lib.scimath.arccos lib.scimath.arcsin lib.scimath.arctanh lib.scimath.log
        lib.scimath.log10 lib.scimath.log2 lib.scimath.logn lib.scimath.power lib.scimath.sqrt""",
    "ufuncs.sinc_and_i0": "i0 sinc",
    "ufuncs.ufunc_outer": "ufunc.outer",
}
_FUNCTIONS_OF_SCIPY = {
    "fft.fourier": """fft fft2 fftfreq fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn ifftshift
        ihfft ihfft2 ihfftn irfft irfft2 irfftn rfft rfft2 rfftfreq rfftn""",
    "fft.hankel": "fht ifht",
    "fft.non_differentiable": "get_workers next_fast_len prev_fast_len",
    "fft.trigonometric": "dct dctn dst dstn idct idctn idst idstn",
    "integrate.all_functions": "solve_ivp",
    "integrate.odeint": "odeint",
    "integrate.quadrature": "dblquad fixed_quad nquad quad quad_vec tplquad",
    "integrate.sampled": "cumulative_simpson cumulative_trapezoid romb simpson trapezoid",
    "linalg.banded_systems": "cho_solve_banded cholesky_banded solve_banded solveh_banded",
    "linalg.basic": "det inv lstsq norm pinv pinvh",
    "linalg.decompositions": "matrix_balance orthogonal_procrustes polar qr rq svd svdvals",
    "linalg.eigen": "eig_banded eigh eigh_tridiagonal eigvals_banded eigvalsh eigvalsh_tridiagonal",
    "linalg.eigen_of_pairs": "eig eigvals",
    "linalg.factors": "cho_factor cho_solve cholesky lu lu_factor lu_solve",
    "linalg.linear_systems": "solve solve_triangular",
    "linalg.matrix_equations": """solve_continuous_are solve_continuous_lyapunov solve_discrete_are
        solve_discrete_lyapunov solve_sylvester""",
    "linalg.matrix_functions": """coshm cosm expm expm_frechet fractional_matrix_power logm signm
        sinhm sinm sqrtm tanhm tanm""",
    "linalg.schur": "rsf2csf",
    "linalg.schur_factors": "schur",
    "linalg.special_matrices": """bandwidth block_diag circulant companion convolution_matrix dft
        diagsvd fiedler fiedler_companion hadamard hankel helmert hilbert invhilbert invpascal
        ishermitian issymmetric khatri_rao kron leslie pascal toeplitz""",
    "linalg.toeplitz_systems": "matmul_toeplitz solve_circulant solve_toeplitz",
    "ndimage.filters": """convolve convolve1d correlate correlate1d gaussian_filter
        gaussian_filter1d gaussian_gradient_magnitude gaussian_laplace laplace prewitt sobel
        uniform_filter uniform_filter1d""",
    "ndimage.fourier": "fourier_ellipsoid fourier_gaussian fourier_shift fourier_uniform",
    "ndimage.interpolation": """affine_transform map_coordinates rotate shift spline_filter
        spline_filter1d zoom""",
    "ndimage.non_differentiable": """binary_closing binary_dilation binary_erosion binary_fill_holes
        binary_hit_or_miss binary_opening binary_propagation distance_transform_bf
        distance_transform_cdt distance_transform_edt find_objects generate_binary_structure
        histogram iterate_structure label maximum_position minimum_position value_indices
        watershed_ift""",
    "ndimage.ranks": """maximum_filter maximum_filter1d median_filter minimum_filter
        minimum_filter1d percentile_filter rank_filter""",
    "ndimage.regions": "maximum mean minimum standard_deviation sum sum_labels variance",
    "optimize.fitting": "curve_fit least_squares leastsq lsq_linear nnls",
    "optimize.minimisation": "minimize minimize_scalar",
    "optimize.root_finding": """bisect brenth brentq fixed_point fsolve newton ridder root
        root_scalar toms748""",
    "optimize.without_rules": "linear_sum_assignment",
    "signal.choosing": "medfilt medfilt2d order_filter",
    "signal.convolutions": "convolve convolve2d correlate correlate2d fftconvolve oaconvolve",
    "signal.non_differentiable": """argrelextrema argrelmax argrelmin check_COLA check_NOLA
        choose_conv_method correlation_lags find_peaks find_peaks_cwt max_len_seq unit_impulse""",
    "signal.polynomials": "deconvolve freqz lfilter_zi",
    "signal.rates": "cspline1d czt decimate qspline1d resample_poly zoom_fft",
    "signal.recursive_filters": "filtfilt lfilter sosfilt sosfiltfilt",
    "signal.resampling": "hilbert hilbert2 resample savgol_filter upfirdn",
    "signal.short_time": "detrend istft stft",
    "signal.smoothing": "savgol_coeffs",
    "signal.spectra": "coherence csd periodogram welch",
    "signal.waveforms": "chirp gauss_spline gausspulse sawtooth square",
    "sparse.linalg.direct": "spsolve spsolve_triangular",
    "sparse.linalg.iterative": "bicg bicgstab cg cgs gcrotmk gmres lgmres minres qmr tfqmr",
    "sparse.linalg.matrix_functions": "expm_multiply norm",
    "special.airy": "airy airye itairy",
    "special.bessel": """bei beip ber berp besselpoly hankel1 hankel1e hankel2 hankel2e i0 i0e i1
        i1e it2i0k0 it2j0y0 it2struve0 iti0k0 itj0y0 itmodstruve0 itstruve0 iv ive j0 j1 jv jve
        k0 k0e k1 k1e kei keip kelvin ker kerp kn kv kve modstruve struve y0 y1 yn yv yve""",
    "special.distributions": """chndtr chndtrinc chndtrix kolmogi kolmogorov nrdtrimn nrdtrisd
        tklmbda""",
    "special.elliptic": """agm ellipe ellipeinc ellipj ellipk ellipkinc ellipkm1 elliprc elliprd
        elliprf elliprg""",
    "special.entropies": "entr huber kl_div pseudo_huber rel_entr xlog1py xlogy",
    "special.error_functions": """dawsn erf erfc erfcinv erfcx erfi erfinv fresnel log_ndtr
        modfresnelm modfresnelp ndtr ndtri ndtri_exp owens_t voigt_profile wofz""",
    "special.gamma_functions": """beta betaln binom gamma gammaln gammasgn loggamma multigammaln
        poch polygamma psi rgamma zeta""",
    "special.hypergeometric": """hyp0f1 hyp1f1 hyp2f1 hyperu log_wright_bessel pbdv pbvv pbwa
        wright_bessel""",
    "special.incomplete": """betainc betaincc betainccinv betaincinv btdtria btdtrib chdtr chdtrc
        chdtri chdtriv fdtr fdtrc fdtri fdtridfd gammainc gammaincc gammainccinv gammaincinv
        gdtr gdtrc gdtria gdtrib gdtrix nbdtr nbdtrc nbdtri pdtr pdtrc pdtri pdtrik stdtr
        stdtridf stdtrit""",
    "special.integrals": "exp1 expi expn shichi sici spence",
    "special.logistic": "expit log_expit logit softplus",
    "special.orthogonal": """eval_chebyc eval_chebys eval_chebyt eval_chebyu eval_gegenbauer
        eval_genlaguerre eval_hermite eval_hermitenorm eval_jacobi eval_laguerre eval_legendre
        eval_sh_chebyt eval_sh_chebyu eval_sh_jacobi eval_sh_legendre lpmv""",
    "special.powers": """boxcox boxcox1p cbrt cosdg cosm1 cotdg exp10 exp2 expm1 exprel inv_boxcox
        inv_boxcox1p lambertw log1p powm1 radian round sindg tandg wrightomega""",
    "special.python_functions": """comb factorial h1vp h2vp ivp jvp kvp perm sph_harm_y spherical_in
        spherical_jn spherical_kn spherical_yn yvp""",
    "special.softmax": "log_softmax logsumexp softmax",
    "stats.all_functions": """dirichlet_gen.logpdf dirichlet_gen.pdf multinomial_gen.logpmf
        multinomial_gen.pmf multivariate_normal_gen.entropy multivariate_normal_gen.logpdf
        multivariate_normal_gen.pdf multivariate_t_gen.logpdf multivariate_t_gen.pdf
        rv_continuous.cdf rv_continuous.isf rv_continuous.logcdf rv_continuous.logpdf
        rv_continuous.logsf rv_continuous.pdf rv_continuous.ppf rv_continuous.sf rv_discrete.cdf
        rv_discrete.entropy rv_discrete.isf rv_discrete.logcdf rv_discrete.logpmf rv_discrete.logsf
        rv_discrete.pmf rv_discrete.ppf rv_discrete.sf rv_generic.entropy rv_generic.mean
        rv_generic.median rv_generic.std rv_generic.var""",
    "stats.statistics": """entropy gmean hmean kurtosis mode moment percentileofscore pmean
        rankdata sem skew tiecorrect variation zscore""",
}
_OTHER_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "entries.indexing": ("operator.getitem",),
    "entries.replacing": ("chainrules_py.rulesets.entries.replacing.replaced",),
    "entries.scatter": ("chainrules_py.rulesets.entries.scatter.scatter_add",),
    "entries.writing": ("numpy.add.at", "numpy.subtract.at", "operator.setitem"),
    "formulas.without_cancellation": (
        "chainrules_py.rulesets.formulas.without_cancellation.one_minus_square",
        "chainrules_py.rulesets.formulas.without_cancellation.over",
    ),
    "linalg.adjugates": ("chainrules_py.rulesets.linalg.adjugates.adjugate",),
    "linalg.degeneracy": ("chainrules_py.rulesets.linalg.degeneracy.differentiable_once",),
    "linalg.hermitian_functions": (
        "chainrules_py.rulesets.linalg.hermitian_functions.hermitian_function",
    ),
    "scipy.integrate.all_functions": (
        "chainrules_py.rulesets.scipy.integrate.initial_values.solve",
    ),
    "shapes.windows": ("numpy.lib.stride_tricks.sliding_window_view",),
    "ufuncs.elementwise": ("chainrules_py.makers.products.guarded_product",),
    "ufuncs.sinc_and_i0": ("chainrules_py.rulesets.ufuncs.sinc_and_i0.bessel_over_power",),
}

_BATCHED_OF_NUMPY = {
    "entries.batched_queries": """allclose array_equal array_equiv compress einsum_path
        extract isin lexsort packbits ravel_multi_index sort_complex trim_zeros unpackbits""",
    "entries.batched_reading": "argpartition argsort partition sort take take_along_axis",
    "entries.batched_sets": """intersect1d setdiff1d setxor1d union1d unique unique_all
        unique_counts unique_inverse""",
    "entries.batched_writing": "copyto fill_diagonal place put put_along_axis putmask",
    "fft": """fft.fft fft.fft2 fft.fftfreq fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifft2
        fft.ifftn fft.ifftshift fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2
        fft.rfftfreq fft.rfftn""",
    "linalg.batching": """linalg.cholesky linalg.cond linalg.det linalg.eig linalg.eigh
        linalg.eigvals linalg.eigvalsh linalg.inv linalg.lstsq linalg.matrix_norm
        linalg.matrix_rank linalg.multi_dot linalg.norm linalg.pinv linalg.qr linalg.slogdet
        linalg.solve linalg.svd linalg.svdvals linalg.vector_norm""",
    "linalg.inverses": "linalg.tensorinv",
    "linalg.products": "linalg.matrix_power",
    "linalg.solvers": "linalg.tensorsolve",
    "non_differentiable": """can_cast common_type empty_like iscomplexobj isrealobj ndim
        ones_like result_type shape size zeros_like""",
    "polynomial.batched_series": "poly polydiv polyfit polyint polymul polyval roots vander",
    "polynomial.polynomials": "polyadd polyder polysub",
    "products.batched_products": """convolve correlate dot einsum matmul matvec outer tensordot
        vdot vecdot vecmat""",
    "products.contractions": "inner",
    "products.products": "cross kron",
    "reductions.batched_histograms": "bincount",
    "reductions.batched_reductions": """all any argmax argmin count_nonzero
        cumprod cumsum cumulative_prod cumulative_sum max mean median min nanargmax
        nanargmin nanmax nanmedian nanmin nanpercentile nanquantile nanstd nanvar percentile
        prod quantile std sum var""",
    "reductions.covariance": "corrcoef cov",
    "reductions.histograms": "histogram histogram2d histogram_bin_edges histogramdd",
    "reductions.reductions": "nancumprod nancumsum nanmean nanprod nansum ptp",
    "reductions.statistics": "average",
    "sampled.batched_samples": """diff digitize geomspace interp linspace
        logspace searchsorted unwrap""",
    "sampled.differences": "ediff1d trapezoid",
    "sampled.sampled_gradient": "gradient",
    "shapes.batched_layouts": """array asanyarray asarray ascontiguousarray asfortranarray
        copy real_if_close""",
    "shapes.batched_shapes": """append array_split astype atleast_1d atleast_2d atleast_3d
        broadcast_arrays broadcast_to concatenate delete diag diagflat diagonal dsplit expand_dims
        flip fliplr flipud full full_like hsplit hstack insert ix_ matrix_transpose meshgrid
        moveaxis pad ravel repeat reshape resize roll rollaxis rot90 split squeeze stack swapaxes
        tile trace transpose tril triu unstack vsplit vstack""",
    "shapes.joining": "block column_stack dstack",
    "ufuncs.batched_ufuncs": """angle choose clip diag_indices_from flatnonzero imag isclose
        iscomplex isneginf isposinf isreal nan_to_num nonzero real round select
        tril_indices_from triu_indices_from ufunc.outer unravel_index where""",
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
        "chainrules_py.rulesets.formulas.without_cancellation.over",
        "chainrules_py.rulesets.ufuncs.sinc_and_i0.bessel_over_power",
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


def _modules_of_scipy() -> dict[str, str]:
    return {
        f"scipy.{home_in_scipy(module)}.{name}": f"chainrules_py.rulesets.scipy.{module}"
        for module, names in _FUNCTIONS_OF_SCIPY.items()
        for name in names.split()
    }


def home_in_scipy(module: str) -> str:
    """The module of SciPy, without its root, whose functions have rules in a module of ours."""
    return module.rpartition(".")[0]


MODULE_OF = _modules_by_function(_FUNCTIONS_OF_NUMPY, _OTHER_FUNCTIONS) | _modules_of_scipy()
BATCHED_IN = _modules_by_function(_BATCHED_OF_NUMPY, _OTHER_BATCHED)

UNLISTED = ("numpy.polynomial", "numpy.random")


def may_be_unlisted(home: str) -> bool:
    """Whether functions of a module may have rules of ours that `MODULE_OF` does not name."""
    if home.partition(".")[0] not in ("numpy", "scipy"):
        return True
    return any(f"{home}.".startswith(f"{package}.") for package in UNLISTED)


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
