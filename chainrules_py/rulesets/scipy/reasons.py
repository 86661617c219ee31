"""Lists of names that have no rule, each with the reason."""


def reason_of_each(names: dict[str, str]) -> dict[str, str]:
    """The reason of each name, given the names of each reason in one string.

    >>> reason_of_each({"it draws at random": "rand randn"})
    {'rand': 'it draws at random', 'randn': 'it draws at random'}
    """
    return {name: reason for reason, listed in names.items() for name in listed.split()}
