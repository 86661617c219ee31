"""The names of `scipy.stats` that have no rule, each with the reason, and the distributions whose
densities are in no table.
"""

_CLASSES = (
    "it is a class; the methods of the distributions that SciPy makes, such as"
    " scipy.stats.norm.logpdf, have rules"
)
_TESTS = (
    "a statistical test returns a statistic of ranks, counts or simulations with a p-value; write"
    " the statistic in NumPy"
)
_RESULTS = "it returns an object of several results; write the one that is meant in NumPy"
_TRIMMED = (
    "it leaves entries out, or sorts them, and is short in NumPy: numpy.where, numpy.sort and"
    " numpy.quantile have rules"
)
_STAND_IN = "chainrules_tape.scipy.stats has a function of this name that is differentiated"
_PLOTS = "it makes or reads a plot, or searches for a parameter"
_RANDOM = "it draws at random"
_SHORT = "it is short in NumPy"
NO_RULE_YET: dict[str, str] = {
    **dict.fromkeys(
        ("Binomial", "Covariance", "Logistic", "Mixture", "Normal", "Uniform", "make_distribution"),
        _CLASSES,
    ),
    **dict.fromkeys(("rv_continuous", "rv_discrete", "rv_histogram", "CensoredData"), _CLASSES),
    **dict.fromkeys(
        ("BootstrapMethod", "MonteCarloMethod", "PermutationMethod"), "it is a class of options"
    ),
    **dict.fromkeys(
        ("ConstantInputWarning", "DegenerateDataWarning", "NearConstantInputWarning", "FitError"),
        "it is a class",
    ),
    **dict.fromkeys(
        ("abs", "exp", "log", "truncate", "order_statistic"),
        "it transforms an object of the newer distributions",
    ),
    **dict.fromkeys(
        (
            "alexandergovern",
            "anderson",
            "anderson_ksamp",
            "ansari",
            "barnard_exact",
            "bartlett",
            "binomtest",
        ),
        _TESTS,
    ),
    **dict.fromkeys(
        (
            "boschloo_exact",
            "brunnermunzel",
            "bws_test",
            "chatterjeexi",
            "chi2_contingency",
            "chisquare",
        ),
        _TESTS,
    ),
    **dict.fromkeys(
        ("cramervonmises", "cramervonmises_2samp", "dunnett", "epps_singleton_2samp", "f_oneway"),
        _TESTS,
    ),
    **dict.fromkeys(
        (
            "fisher_exact",
            "fligner",
            "friedmanchisquare",
            "goodness_of_fit",
            "jarque_bera",
            "kendalltau",
        ),
        _TESTS,
    ),
    **dict.fromkeys(
        (
            "kruskal",
            "ks_1samp",
            "ks_2samp",
            "kstest",
            "kurtosistest",
            "levene",
            "logrank",
            "mannwhitneyu",
        ),
        _TESTS,
    ),
    **dict.fromkeys(
        (
            "median_test",
            "monte_carlo_test",
            "mood",
            "multiscale_graphcorr",
            "normaltest",
            "page_trend_test",
        ),
        _TESTS,
    ),
    **dict.fromkeys(
        ("permutation_test", "poisson_means_test", "power", "power_divergence", "quantile_test"),
        _TESTS,
    ),
    **dict.fromkeys(
        (
            "ranksums",
            "shapiro",
            "skewtest",
            "somersd",
            "spearmanr",
            "spearmanrho",
        ),
        _TESTS,
    ),
    **dict.fromkeys(("ttest_ind_from_stats", "tukey_hsd", "weightedtau", "wilcoxon"), _TESTS),
    **dict.fromkeys(("combine_pvalues", "false_discovery_control", "sobol_indices", "fit"), _TESTS),
    **dict.fromkeys(
        ("bayes_mvs", "mvsdist", "describe", "ecdf", "siegelslopes", "theilslopes"), _RESULTS
    ),
    **dict.fromkeys(
        ("binned_statistic", "binned_statistic_2d", "binned_statistic_dd", "bootstrap"), _RESULTS
    ),
    **dict.fromkeys(("directional_stats", "find_repeats"), _RESULTS),
    "pointbiserialr": (
        "chainrules_tape.scipy.stats.pearsonr of the same arguments is differentiated"
    ),
    **dict.fromkeys(
        ("linregress", "pearsonr", "trim_mean", "ttest_1samp", "ttest_ind", "ttest_rel"), _STAND_IN
    ),
    **dict.fromkeys(
        ("iqr", "median_abs_deviation", "quantile", "scoreatpercentile", "sigmaclip", "trim1"),
        _TRIMMED,
    ),
    **dict.fromkeys(
        ("trimboth", "tmax", "tmean", "tmin", "tsem", "tstd", "tvar", "lmoment", "expectile"),
        _TRIMMED,
    ),
    **dict.fromkeys(
        (
            "differential_entropy",
            "energy_distance",
            "wasserstein_distance",
            "wasserstein_distance_nd",
        ),
        _TRIMMED,
    ),
    **dict.fromkeys(
        (
            "circmean",
            "circstd",
            "circvar",
            "gstd",
            "gzscore",
            "kstat",
            "kstatvar",
            "obrientransform",
            "zmap",
        ),
        _SHORT,
    ),
    **dict.fromkeys(("boxcox_llf", "yeojohnson_llf", "yeojohnson"), _SHORT),
    "estimated_cdf": "it counts the entries of a sample",
    "boxcox": "it searches for the parameter; scipy.special.boxcox, with one, has the rule",
    **dict.fromkeys(
        ("boxcox_normmax", "boxcox_normplot", "yeojohnson_normmax", "yeojohnson_normplot"), _PLOTS
    ),
    **dict.fromkeys(("ppcc_max", "ppcc_plot", "probplot"), _PLOTS),
    "gaussian_kde": (
        "it makes objects; chainrules_tape.scipy.stats has a class of this name that is"
        " differentiated"
    ),
    **dict.fromkeys(
        (
            "ortho_group",
            "special_ortho_group",
            "unitary_group",
            "random_correlation",
            "random_table",
        ),
        _RANDOM,
    ),
    **dict.fromkeys(
        ("uniform_direction", "multivariate_hypergeom"), "it has no density by a parameter"
    ),
    **dict.fromkeys(
        ("wishart", "invwishart", "matrix_normal", "matrix_t"),
        "its density is short in numpy.linalg",
    ),
    **dict.fromkeys(("vonmises_fisher", "normal_inverse_gamma", "dirichlet_multinomial"), _SHORT),
}
_WHOLE = "its parameters are whole numbers"
_NO_SLOPE = "the derivatives of its density are in no known functions"
_SPLINE = (
    "its parameter is a whole number; the density is the B-spline"
    " scipy.interpolate.BSpline.basis_element(range(n + 1))"
)
NOT_IN_THE_TABLES: dict[str, str] = {
    **dict.fromkeys(("hypergeom", "nhypergeom", "randint"), _WHOLE),
    **dict.fromkeys(
        ("gausshyper", "ksone", "kstwo", "kstwobign", "landau", "levy_stable", "studentized_range"),
        _NO_SLOPE,
    ),
    **dict.fromkeys(
        ("nct", "ncf", "nchypergeom_fisher", "nchypergeom_wallenius", "zipf", "zipfian"), _NO_SLOPE
    ),
    "trapz": "older versions of SciPy have it as another name of trapezoid",
    "irwinhall": _SPLINE,
    "poisson_binom": "it has as many parameters as are given, as one array in the place of numbers",
}
