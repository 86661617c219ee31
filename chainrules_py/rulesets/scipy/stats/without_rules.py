"""The names of `scipy.stats` that have no rule, each with the reason, and the distributions whose
densities are in no table.
"""

from chainrules_py.rulesets.scipy.reasons import reason_of_each

NO_RULE_YET: dict[str, str] = reason_of_each(
    {
        "it is a class; the methods of the distributions that SciPy makes, such as "
        "scipy.stats.norm.logpdf, have rules": """
            Binomial Covariance Logistic Mixture Normal Uniform make_distribution rv_continuous
            rv_discrete rv_histogram CensoredData
        """,
        "it is a class of options": "BootstrapMethod MonteCarloMethod PermutationMethod",
        "it is a class": """
            ConstantInputWarning DegenerateDataWarning NearConstantInputWarning FitError
        """,
        "it transforms an object of the newer distributions": (
            "abs exp log truncate order_statistic"
        ),
        "a statistical test returns a statistic of ranks, counts or simulations with a "
        "p-value; write the statistic in NumPy": """
            alexandergovern anderson anderson_ksamp ansari barnard_exact bartlett binomtest
            boschloo_exact brunnermunzel bws_test chatterjeexi chi2_contingency chisquare
            cramervonmises cramervonmises_2samp dunnett epps_singleton_2samp f_oneway
            fisher_exact fligner friedmanchisquare goodness_of_fit jarque_bera kendalltau
            kruskal ks_1samp ks_2samp kstest kurtosistest levene logrank mannwhitneyu
            median_test monte_carlo_test mood multiscale_graphcorr normaltest page_trend_test
            permutation_test poisson_means_test power power_divergence quantile_test ranksums
            shapiro skewtest somersd spearmanr spearmanrho ttest_ind_from_stats tukey_hsd
            weightedtau wilcoxon combine_pvalues false_discovery_control sobol_indices fit
        """,
        "it returns an object of several results; write the one that is meant in NumPy": """
            bayes_mvs mvsdist describe ecdf siegelslopes theilslopes binned_statistic
            binned_statistic_2d binned_statistic_dd bootstrap directional_stats find_repeats
        """,
        "chainrules_tape.scipy.stats.pearsonr of the same arguments is differentiated": (
            "pointbiserialr"
        ),
        "chainrules_tape.scipy.stats has a function of this name that is differentiated": (
            "linregress pearsonr trim_mean ttest_1samp ttest_ind ttest_rel"
        ),
        "it leaves entries out, or sorts them, and is short in NumPy: numpy.where, "
        "numpy.sort and numpy.quantile have rules": """
            iqr median_abs_deviation quantile scoreatpercentile sigmaclip trim1 trimboth tmax
            tmean tmin tsem tstd tvar lmoment expectile differential_entropy energy_distance
            wasserstein_distance wasserstein_distance_nd
        """,
        "it is short in NumPy": """
            circmean circstd circvar gstd gzscore kstat kstatvar obrientransform zmap boxcox_llf
            yeojohnson_llf yeojohnson vonmises_fisher normal_inverse_gamma dirichlet_multinomial
        """,
        "it counts the entries of a sample": "estimated_cdf",
        "the bins move with the entries; numpy.histogram and its edges have a rule": (
            "cumfreq relfreq"
        ),
        "it searches for the parameter; scipy.special.boxcox, with one, has the rule": "boxcox",
        "it makes or reads a plot, or searches for a parameter": """
            boxcox_normmax boxcox_normplot yeojohnson_normmax yeojohnson_normplot ppcc_max
            ppcc_plot probplot
        """,
        "it makes objects; chainrules_tape.scipy.stats has a class of this name that is "
        "differentiated": ("gaussian_kde"),
        "it draws at random": """
            ortho_group special_ortho_group unitary_group random_correlation random_table
        """,
        "it has no density by a parameter": "uniform_direction multivariate_hypergeom",
        "its density is short in numpy.linalg": "wishart invwishart matrix_normal matrix_t",
    }
)
NOT_IN_THE_TABLES: dict[str, str] = reason_of_each(
    {
        "its parameters are whole numbers": "hypergeom nhypergeom randint",
        "the derivatives of its density are in no known functions": """
            gausshyper ksone kstwo kstwobign landau levy_stable studentized_range nct ncf
            nchypergeom_fisher nchypergeom_wallenius zipf zipfian
        """,
        "older versions of SciPy have it as another name of trapezoid": "trapz",
        "its parameter is a whole number; the density is the B-spline "
        "scipy.interpolate.BSpline.basis_element(range(n + 1))": ("irwinhall"),
        "it has as many parameters as are given, as one array in the place of numbers": (
            "poisson_binom"
        ),
    }
)
