"""The names of `scipy.spatial` that have no rule, each with the reason."""

from chainrules_py.rulesets.scipy.reasons import reason_of_each

NO_RULE_YET: dict[str, str] = reason_of_each(
    {
        "it finds by comparisons which points belong together: make it of stop_gradient(points), and"
        " compute areas and volumes of the points that it numbers, points[hull.simplices], by"
        " numpy.linalg.det": "ConvexHull Delaunay tsearch",
        "its vertices are the solutions of linear systems: make it of stop_gradient(points), and"
        " solve by numpy.linalg.solve for those that are needed": (
            "HalfspaceIntersection SphericalVoronoi Voronoi"
        ),
        "it finds by comparisons which points are near: make it of stop_gradient(points), and compute"
        " the distances to the points that it numbers by numpy.linalg.norm": "KDTree cKDTree",
        "cdist of chainrules_tape.scipy.spatial.distance computes it, by NumPy's functions": (
            "distance_matrix minkowski_distance minkowski_distance_p"
        ),
        "nobody wrote it yet: numpy.linalg.svd of the product of the centred points has the rule": (
            "procrustes"
        ),
        "nobody wrote it yet: it is a sum of two vectors by sines of an angle": "geometric_slerp",
        "it is a class of bounds": "Rectangle",
        "it is an error": "QhullError",
        "it draws a picture": "convex_hull_plot_2d delaunay_plot_2d voronoi_plot_2d",
    }
)
