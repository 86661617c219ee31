"""How much workspace a routine wants, of which nothing here needs any: a little, for every question."""

from inspect import Parameter, Signature
from itertools import product

import numpy as np
from numpy.typing import DTypeLike

from emulated_cuda.libraries.cusolver.context import solver
from emulated_cuda.libraries.library import Address
from emulated_cuda.libraries.memory import store

WORKSPACE = 16  # entries or bytes; not none, as callers divide by it or take its address
LETTERS = ("S", "D", "C", "Z")
UNITARY, HERMITIAN = ("Sor", "Dor", "Cun", "Zun"), ("Ssy", "Dsy", "Che", "Zhe")
# Names, and how many arguments stand before the address of the answer
IN_ENTRIES = (
    (LETTERS, ("potrf", "getrf", "geqrf"), 5),
    (UNITARY, ("gqr",), 7),
    (HERMITIAN, ("evjBatched",), 7),
    (LETTERS, ("gesvd",), 3),
    (LETTERS, ("gesvdjBatched",), 11),
)
# The same where there are two answers, for the device and the host
IN_BYTES = {"Xsyevd": 11, "Xgeev": 17}


def answer(routine: str, before: int, answers: int = 1, dtype: DTypeLike = "i") -> None:
    """Register the question of a routine, all of whose arguments are passed as addresses are."""

    def store_answers(*arguments: int) -> None:
        for address in arguments[before:]:
            store(address, dtype, WORKSPACE)

    named = [
        Parameter(f"argument_{k}", Parameter.POSITIONAL_ONLY, annotation=Address)
        for k in range(before + answers)
    ]
    vars(store_answers)["__signature__"] = Signature(named)  # which becomes the types in C
    solver.routine(f"cusolverDn{routine}_bufferSize")(store_answers)


for _prefixes, _names, _before in IN_ENTRIES:
    for _prefix, _name in product(_prefixes, _names):
        answer(_prefix + _name, _before)
for _name, _before in IN_BYTES.items():
    answer(_name, _before, 2, np.uintp)
