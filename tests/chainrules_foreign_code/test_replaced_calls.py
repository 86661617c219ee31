"""A default that is a conversion takes traced numbers where the function only calls it, and stays
where it does more.
"""

from chainrules_foreign_code.replaced_calls import called_defaults
from chainrules_py.introspection import is_only_called
from chainrules_tape import seen_through
from slopes import check_slopes
from strangers import numbers


def test_a_converter_given_as_a_default():
    before = numbers.converted.__defaults__
    with seen_through("strangers"):
        check_slopes(numbers.converted, 1.2345)
        assert numbers.converted.__defaults__[2] is float
    assert numbers.converted.__defaults__ is before


def test_what_is_only_called():
    def f(a, b=float, c=float, d=float, e=float):
        def inner(v):
            return e(v)

        b = b(a)
        return c(a) + c(c(a)) + isinstance(a, d) + inner(a) + b

    code = f.__code__
    assert [is_only_called(code, name) for name in "abcde"] == [False, False, True, False, False]


def test_defaults_of_a_function_without_the_arguments():
    """As `networkx` makes them: the code takes any arguments, and the defaults are those of the
    function that it calls.
    """

    def around(*args, **options):
        return args, options

    around.__defaults__ = (1.0, float)
    assert called_defaults(around, around.__defaults__) is around.__defaults__
