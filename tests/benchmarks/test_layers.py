"""The times of the layers of a gradient add up to the time of the whole."""

from benchmarks.layers import NAMES, microseconds_by_layer


def test_layers_add_up():
    layers = microseconds_by_layer(budget=0.1)
    *parts, whole = (layers[name] for name in NAMES)
    assert abs(sum(parts) - whole) < 1e-9
    assert layers["NumPy, by hand"] > 0
