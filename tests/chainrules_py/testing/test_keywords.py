"""Keywords that a rule takes and no sample passes are found, and those that do not exist."""

from chainrules_py.testing import Sample, samples_for, untested_keywords


def measure(x, *, scale=1.0, shift=0.0, mode="plain"):
    return scale * x + shift


@samples_for(measure, dtypes=["float64"])
def measure_samples(draw):
    yield Sample(draw.any(2), options={"scale": 2.0})


def untested(primal, rules):
    return [keyword.name for keyword in untested_keywords([primal], rules)]


def test_tested_refused_and_untested(rules):
    rules.rrule.register(measure)(
        lambda x, *, scale=1.0, shift=0.0: (measure(x), lambda y_bar: (scale * y_bar,))
    )
    assert [*map(str, untested_keywords([measure], rules))] == [f"{__name__}.measure(shift=...)"]


def test_a_rule_that_takes_anything_must_be_tested_with_everything(rules):
    rules.rrule.register(measure)(lambda x, **options: (measure(x), lambda y_bar: (y_bar,)))
    assert untested(measure, rules) == ["shift", "mode"]


def test_a_keyword_that_the_primal_does_not_have(rules):
    rules.rrule.register(measure)(
        lambda x, *, scale=1.0, axis=None: (measure(x), lambda y_bar: (y_bar,))
    )
    assert untested(measure, rules) == ["axis"]


def test_a_primal_that_takes_anything(rules):
    def plot(x, **style):
        return x * 1.0

    rules.rrule.register(plot)(lambda x, *, color=None: (plot(x), lambda y_bar: (y_bar,)))
    assert untested(plot, rules) == ["color"]
