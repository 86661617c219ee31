"""The names of `scipy.ndimage` that have no rule, each with the reason."""

from chainrules_py.rulesets.scipy.reasons import reason_of_each

NO_RULE_YET: dict[str, str] = reason_of_each(
    {
        "it calls a function for each window; write the filter in functions of arrays, "
        "which have rules": """
            generic_filter generic_filter1d generic_gradient_magnitude generic_laplace
            vectorized_filter labeled_comprehension
        """,
        "it is made of maximum_filter and minimum_filter, which have rules": """
            grey_closing grey_dilation grey_erosion grey_opening black_tophat white_tophat
            morphological_gradient morphological_laplace
        """,
        "it calls a function for each point; compute the points for map_coordinates, "
        "which has the rule": ("geometric_transform"),
        "it returns tuples; divide sum_labels of the image times the positions by "
        "sum_labels of the image": ("center_of_mass"),
        "it returns positions among values; call maximum and minimum, which have rules": (
            "extrema"
        ),
        "nobody wrote it; median_filter and numpy.median have rules": "median",
    }
)
