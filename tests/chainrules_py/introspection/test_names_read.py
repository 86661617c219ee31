"""Which names a code reads, and changes, of its surroundings."""

from chainrules_py.introspection.names_read import names_read, variables_of_code


def reading(x):
    import os.path as paths

    global CHANGED
    CHANGED = other.deep.attribute(x) + len(CONSTANT)  # noqa: F821
    return [scale(k) for k in x], paths, (lambda: INNER.part)  # noqa: F821


def test_globals():
    found = names_read(reading.__code__)
    assert found.globals_read == {"other", "len", "CONSTANT", "scale", "INNER"}
    assert found.globals_changed == {"CHANGED"}
    assert found.imported == {"os.path"}


def test_attributes_and_chains():
    found = names_read(reading.__code__)
    assert {"deep", "attribute", "part"} <= found.attributes
    assert ("other", "deep", "attribute") in found.chains
    assert ("INNER", "part") in found.chains


def test_variables_of_enclosing_functions():
    count, constant = 0, 1

    def inner():
        nonlocal count
        count += constant
        own = 1

        def innermost():
            nonlocal own
            own += 1

        return innermost

    assert variables_of_code(inner.__code__) == ("constant", "count")
    assert names_read(inner.__code__).variables_changed == {"count"}


def test_what_is_compared_by_identity():
    def comparing(x, y, z):
        if CONSTANT is OTHER or other.deep is not OTHER:  # noqa: F821
            return x.__class__ is y.__class__
        return x is y, x is not z.part, x is CONSTANT, x is other.deep, x is None  # noqa: F821

    found = names_read(comparing.__code__)
    assert found.compared == {(), ("CONSTANT",), ("other", "deep")}
    assert found.compares_variables
