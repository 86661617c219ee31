"""Functions of `scipy.ndimage` that have no derivative: labels, positions, binary images."""

from scipy import ndimage

from chainrules_py.makers import non_differentiable
from chainrules_py.values.identity import existing

BINARY = ("closing", "dilation", "erosion", "fill_holes", "hit_or_miss", "opening", "propagation")
DISTANCES = ("distance_transform_bf", "distance_transform_cdt", "distance_transform_edt")
LABELS = (
    "label",
    "find_objects",
    "watershed_ift",
    "value_indices",
    "maximum_position",
    "minimum_position",
    "histogram",
)
STRUCTURES = ("generate_binary_structure", "iterate_structure")
NAMES = (*(f"binary_{name}" for name in BINARY), *DISTANCES, *LABELS, *STRUCTURES)
non_differentiable(*existing(ndimage, *NAMES))
