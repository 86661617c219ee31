"""The goals for speed and memory, and the benchmark that measures each."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.programs.loops import LOOPS
from benchmarks.programs.numbers import PROGRAMS

OF_NUMBERS = tuple(PROGRAMS)[:-1]  # the last one is a single step

Key = tuple[str, tuple[str, ...]]  # a benchmark and its parameters, as asv writes them down


@dataclass(frozen=True)
class Target:
    """A figure that must not exceed its limit; `ours` and `peer` say what it is the quotient of,
    where it is one.

    `why` explains a miss, for the summary, as long as there is one.
    """

    measure: str
    figure: Key
    limit: float
    unit: str = ""
    ours: Key | None = None
    peer: Key | None = None
    program: str = ""
    why: str = ""


WHY_IN_TORCH = (
    "30 µs of each call, however long the program: what the program holds is asked (tensors among it"
    " are arguments, too; 6 to 15 µs), arrays are marked as not to be written, and the tape is copied"
    " so that `backward` may run again. By hand none of this is done."
)
WHY = {
    "chain, size 100": (
        "at the limit: half of our time is NumPy's own work at this size, and what the tape adds"
        " per operation is what `benchmarks/layers.py` takes apart."
    ),
    "Gaussian mixture": (
        "44 calls, most on arrays of up to 400 kB. Two things take less work than they are written"
        " with: a sum over ten columns goes column by column (a quarter of the time, and the same"
        " bits), and the cotangent of the centred points, of which only sums over the points are"
        " asked for, is never multiplied out. What is left above NumPy's arithmetic is Python, 2 to"
        " 3 µs per call, forward and reverse. On ten times the points (below) the arithmetic"
        " decides."
    ),
    "bundle adjustment": (
        "56 ufuncs and 26 other calls, most of them reads of columns, whose cotangents are written"
        " into columns again; what was gathered by 20 cameras and 200 points is added up row by"
        " row."
    ),
    "LSTM, 1024 characters": "10,234 slices and 2,046 calls of `concatenate` beside 44,000 ufuncs.",
}


def key(benchmark: str, *params: object) -> Key:
    """The name under which asv keeps a figure."""
    return benchmark, tuple(map(repr, params))


def against(program: str, peer: str, limit: float) -> Target:
    """A ratio that the suite of peers measures."""
    ours, theirs = (key("peers.Times.track_seconds", program, engine) for engine in ("ours", peer))
    figure = key("peers.Ratios.track_ratio", program, peer)
    return Target(
        f"{program}: time / {peer}", figure, limit, "", ours, theirs, program, WHY.get(program, "")
    )


def of_programs(measure: str, benchmark: str, limit: float, why: str = "") -> Iterator[Target]:
    """Ratios that the suite of whole programs measures, at few and at many operations."""
    for operations in (10, 1000):
        figure = key(f"whole_programs.{benchmark}", operations)
        yield Target(f"{measure}, {operations} operations", figure, limit, why=why)


CHAINS = ("chain, size 1", "chain, size 100")
ADBENCH = ("Gaussian mixture", "bundle adjustment", "LSTM, 1024 characters")
LARGE = "chain, size 1000000"
CHUNK = 20_000  # examples of the elastic energy that are computed at once

HESSIANS = ("Rosenbrock", "arrow and chain", "membrane")
SYSTEMS = {  # how many evaluations the Jacobian may take
    "heat, 100,000": 12.0,
    "grid by roll, 300 x 300": 12.0,
    "grid by pad, 300 x 300": 12.0,
    "Brusselator, 20,000": 20.0,
}
WHY_MANY = {
    "jacobian": (
        "250 calls of Python and C forward and 360 in reverse, 0.25 µs each, beside one product of"
        " matrices. Compiled, the Jacobian is the program that one writes by hand."
    ),
    "per-example": (
        "nearly all of the time by hand is one product that writes 8 MB, which we write as fast;"
        " what is above it is Python, 0.12 ms per call. Compiled, they take as long as by hand."
    ),
    "elasticity": (
        "two inverses, a determinant, and products that broadcast 3 x 3 matrices, each a pass of"
        " NumPy's over the points: 220 ms, where by hand takes 100 and a compiler, which does all"
        ' in one pass, 70 to 90. So does the same program, `compiled(..., to="jax")`.'
    ),
    "torch": "a few microseconds of Python more than a third of PyTorch's.",
    "hessian": (
        "ten directions at once (nine colours, and the guard) are arrays of 0.8 MB, and one product"
        " works on 80 kB, which stay in the cache: 3.2 to 4.0 in one run or another."
    ),
    "detection": (
        "at the limit: half of it is SciPy's sum of two matrices of indices, one for each sum of the"
        " program, of up to 450,000 entries (1 ms), where the program adds 90,000 numbers (0.04"
        " ms); a fifth are the indices of what is read."
    ),
    "series": (
        "one step of a node takes 2 to 9 µs, most of it Python. Nested forward mode takes half of"
        " the time that it took when this bound was set (2.8 ms, 5.6 before); a series takes 0.29"
        " ms on both."
    ),
}


def many_examples() -> Iterator[Target]:
    """The goals for whole Jacobians and Hessians, and for many examples at once."""
    modes = {"forward": 2.5, "reverse": 3.0}
    for mode, limit in modes.items():
        name = f"perceptron Jacobian, {mode}"
        figure = key("batching.Jacobian.track_by_hand", mode)
        yield Target(f"{name} / by hand", figure, limit, why=WHY_MANY["jacobian"])
        torch, jax = (key(f"batching.Jacobian.track_{peer}", mode) for peer in ("torch", "jax"))
        yield Target(f"{name} / torch jacrev", torch, 0.3, why=WHY_MANY["torch"])
        yield Target(f"{name} / jit jacrev", jax, 1.8)
        for peer, what, most in (
            ("by hand", "by_hand", limit),
            ("torch jacrev", "torch", 0.3),
            ("jit jacrev", "jax", 1.8),
        ):
            figure = key(f"batching.Jacobian.track_compiled_{what}", mode)
            yield Target(f"compiled {name} / {peer}", figure, most)

    figure = key("batching.PerExample.track_by_hand")
    why = WHY_MANY["per-example"]
    yield Target("per-example gradients, batch 256 / by hand", figure, 1.15, why=why)
    figure = key("batching.PerExample.track_compiled_by_hand")
    yield Target("compiled per-example gradients, batch 256 / by hand", figure, 1.15, why=why)

    for points, limit in ((20, 0.12), (200, 0.3)):
        name = f"Hessian of a mixture, {points} points"
        columns, torch, memory = (
            key(f"batching.MixtureHessian.track_{what}", points)
            for what in ("by_columns", "torch", "memory")
        )
        yield Target(f"{name} / column by column", columns, limit)
        yield Target(f"{name} / torch", torch, 1.0)
        yield Target(f"{name}: memory / limit", memory, 1.0)

    for peer, what, limit in (("by hand", "by_hand", 4.0), ("jit vmap", "jax", 1.5)):
        figure = key(f"batching.Elasticity.track_{what}", CHUNK)
        name = f"elasticity, 100,000 points / {peer}"
        yield Target(name, figure, limit, why=WHY_MANY["elasticity"])
        figure = key(f"batching.Elasticity.track_compiled_{what}", CHUNK)
        yield Target(f"compiled {name}", figure, limit, why=WHY_MANY["elasticity"])
    figure = key("batching.Elasticity.track_to_jax", CHUNK)
    yield Target("elasticity, 100,000 points, compiled to JAX / jit vmap", figure, 1.5)


def sparse_matrices() -> Iterator[Target]:
    """The goals for sparse Jacobians and Hessians."""
    for system, limit in SYSTEMS.items():
        suite = "sparse_matrices.SparseJacobian.track"
        evaluation, detection = (
            key(f"{suite}_evaluation", system),
            key(f"{suite}_detection", system),
        )
        yield Target(f"{system}: Jacobian / evaluation", evaluation, limit)
        why = WHY_MANY["detection"]
        yield Target(f"{system}: detection / evaluation", detection, 40.0, why=why)
    for energy in HESSIANS:
        figure = key("sparse_matrices.SparseHessian.track_matrix", energy)
        yield Target(f"{energy}: Hessian / one product", figure, 4.0, why=WHY_MANY["hessian"])


def series() -> Iterator[Target]:
    """The goals for Taylor series."""
    for program in ("exp(x sin x)", "perceptron"):
        figure = key("series.Coefficients.track_nested", program)
        name = f"{program}: order 6 / nested jvp"
        yield Target(name, figure, 0.06, why=WHY_MANY["series"])


WHY_COMPILED = {
    "call": (
        "what a call does beside its program: it compares shapes, and what the function reads,"
        " and looks for NaN in each array of the result; 4 to 9 µs after a program that has put"
        " that out of the caches."
    ),
    "large": (
        "the gradient by hand works in place on few arrays, in 15 operations; the program is one"
        " loop over blocks with its sums inside, of 23 operations. Both spend most in exp, log and"
        " divisions, so that half the time is out of reach."
    ),
    "jax": (
        "NumPy's arrays go in (2 µs each, a copy from 64 kB on) and are copied out (1 to 3 µs"
        " each), on top of a call's own checks (4 to 15 µs); on JAX's arrays the same program takes"
        " 0.98 to 1.04 of `jax.jit` in the chain and the perceptron. Handing arrays over by DLPack"
        " takes 30 µs each, calling the executable directly what `jax.jit` takes. In bundle"
        " adjustment a program keeps the order of sums into parts of arrays that NumPy has, where"
        " JAX adds padded arrays."
    ),
    "numbers": (
        "a function of NumPy's takes 0.15 µs on a number, that of `math` 0.03; the tape takes 2 µs"
        ' for the sine and its derivative. `to="math"` is below.'
    ),
    "recording": (
        "each value of a run is an object that stays until the end, with the line that it comes"
        " from; of the LSTM there are 170,000, more than the caches hold."
    ),
    "peak": "memory of a pullback is given back at its end, and the program holds some longer.",
}
COMPILED_BY_HAND = {
    "chain, size 1": 0.9,
    "chain, size 100": 0.85,
    "perceptron, batch 32, widths 64": 1.0,
    "ODE, 200 steps": 1.0,
    "FFT deconvolution": 1.0,
    "Gaussian mixture": 1.0,
    "Gaussian mixture, 10000 points": 1.0,
    "sparse indexing, 100 reads": 0.9,
    "logistic regression, 100000 rows": 0.5,
    "logistic regression, 1000000 rows": 0.5,
}
NUMBERS = ("sines", "newton", "logarithms")
LARGE_ARRAYS = {name for name in COMPILED_BY_HAND if "0000 " in name}
COMPILED_OF_TAPE = {
    "Kalman filter, 50 steps": 0.32,
    "LSTM, 1024 characters": 0.3,
    "bundle adjustment": 0.75,
}


def compiled_programs() -> Iterator[Target]:
    """The goals for compiled gradients."""
    of_each = {"by hand": COMPILED_BY_HAND, "ours": COMPILED_OF_TAPE}
    for engine, limits in of_each.items():
        other = "the tape" if engine == "ours" else engine
        for program, limit in limits.items():
            figure = key("compiled.Ratios.track_ratio", program, engine)
            name = f"{program}: compiled / {other}"
            why = WHY_COMPILED["large" if program in LARGE_ARRAYS else "call"]
            yield Target(name, figure, limit, why=why)
    for program in (*COMPILED_BY_HAND, *COMPILED_OF_TAPE):
        if "logistic" not in program and "LSTM" not in program:
            figure = key("compiled.ByXla.track_of_jax", program)
            name = f'{program}: compiled to="jax" / jax.jit'
            yield Target(name, figure, 1.05, why=WHY_COMPILED["jax"])
        peak = key("compiled.Peak.track_peak", program)
        name = f"{program}: compiled peak memory / the tape's"
        yield Target(name, peak, 1.05, why=WHY_COMPILED["peak"])
        first, recording = (
            key(f"compiled.FirstCall.track_{which}", program)
            for which in ("first_result", "recording")
        )
        yield Target(f"{program}: first call of compiled / the tape", first, 20.0)
        if "chain" in program or "LSTM" in program:
            name = f"{program}: recording / the tape"
            yield Target(name, recording, 4.0, why=WHY_COMPILED["recording"])
    for program in NUMBERS:
        of_tape, by_math = (
            key(f"compiled.Numbers.track_{which}", program) for which in ("of_tape", "by_math")
        )
        name = f"{program} of one number"
        yield Target(f"{name}: compiled / the tape", of_tape, 0.1, why=WHY_COMPILED["numbers"])
        yield Target(f'{name}: compiled to="math" / the tape', by_math, 0.1)
    for rows in (100_000, 1_000_000):
        name = f"logistic regression, {rows} rows"
        figure = key("compiled.ByXla.track_of_jax", name)
        why = WHY_COMPILED["jax"]
        yield Target(f'{name}: compiled to="jax" / jax.jit', figure, 1.2, why=why)
    overhead = key("compiled.Overhead.track_overhead")
    yield Target("compiled call above its program", overhead, 3.0, "µs")


WHY_LOOPS = {
    "of_scan": (
        "a call's own checks, the search for NaN and copies take 15 to 60 µs, of 250 that the scan"
        " takes; the repetitions of ours have as many operations."
    ),
    "until_compiled": (
        "at the limit: recording takes three calls of the tape, an object for each operation and each"
        " value; finding the repetitions one to two, which look at all of these; other passes and"
        " the text one, and so does the call of the function with which the program is compared."
    ),
    "compiling": (
        "the recording, and what XLA compiles beside the scan: the first and last repetitions,"
        " which are unlike the others."
    ),
    "by_hand": (
        "at the limit: a step has the operations that it has by hand, each a call of NumPy's on a"
        " few numbers, 0.3 to 0.9 µs. Products of vectors with arrays of one number, 0.5 µs more"
        " each, were what was above it."
    ),
}


def loops() -> Iterator[Target]:
    """The goals for compiled gradients of loops."""
    asked = {
        "of_scan": ('compiled to="jax" / JAX\'s scan', 1.5),
        "compiling": ('until compiled to="jax" / JAX\'s scan', 2.0),
        "until_compiled": ("until compiled / the tape", 8.0),
        "by_hand": ("compiled / by hand", 1.0),
    }
    for program in LOOPS.values():
        for figure, (name, limit) in asked.items():
            if figure != "by_hand" or program.by_hand is not None:
                benchmark = key(f"loops.Loops.track_{figure}", program.name)
                why = WHY_LOOPS.get(figure, "")
                yield Target(f"{program.name}: {name}", benchmark, limit, why=why)


WHY_CALLS = (
    "NumPy's own call on 12 numbers takes 0.8 µs (`concatenate`), 2.2 (`max`) and 2.6 (`stack`), where"
    " that of `np.sin` takes 0.3, and NumPy's dispatch of a function 1 µs. The pullback of a maximum"
    " makes three more calls of NumPy's, which find the entries and ask for ties; that of joined arrays"
    " reads and adds a slice for each. What is left is spread over 20 functions of 0.1 to 0.4 µs."
)
SLOW_CALLS = {
    "np.reshape(x, (4, 3))": 2.5,
    "np.swapaxes(x, 0, 1)": 2.5,
    "np.sum(x, axis=0)": 2.5,
    "np.max(x, axis=0)": 4.0,
    "np.concatenate([x, x])": 4.0,
    "np.stack([x, x])": 4.0,
    "a, b, c = x": 4.0,
}


def slow_calls() -> Iterator[Target]:
    """The goals for functions that NumPy hands over by a protocol, or that take a list."""
    for operation, limit in SLOW_CALLS.items():
        figure = key("operations.Operations.track_of_a_sine", operation)
        yield Target(f"{operation} with its gradient / np.sin", figure, limit, why=WHY_CALLS)


OF_NUMPYS = 2.1  # of the time of the tape of partials, on floats


def of_numbers() -> Iterator[Target]:
    """The goals for loops over single numbers, next to a tape of nothing but partial derivatives."""
    for program in OF_NUMBERS:
        for kind, limit in (("partials", 1.6), ("numpys", OF_NUMPYS)):
            figure = key(f"numbers.Numbers.track_of_{kind}", program)
            name = "NumPy's numbers" if kind == "numpys" else "numbers"
            # NumPy's sine of a float is one of NumPy's numbers, and so is an entry of an array
            most = OF_NUMPYS if program in ("sines", "two reservoirs") else limit
            yield Target(f"{program}, {name} / tape of partials", figure, most)


SOLVERS_THAT_WRITE = (
    "triangular system, 200 rows",
    "LU factors, 24 rows",
    "solution by LU, 20 rows",
)
ROWS_AND_STENCILS = (
    *("symmetric update, 24 rows", "heat in a rod, 3200 points", "heat in a cube, 25 x 25 x 25"),
)


def writing() -> Iterator[Target]:
    """The goals for programs that write entry by entry, and row by row."""
    for program in SOLVERS_THAT_WRITE:
        figure = key("inplace.Kernels.track_of_program", program)
        yield Target(f"{program}: gradient / program", figure, 60)
    for program in ROWS_AND_STENCILS:
        figure = key("inplace.Kernels.track_compiled_of_by_hand", program)
        yield Target(f"{program}: compiled gradient / by hand", figure, 1.5)


WHY_STARTING = (
    "the engine is 200 modules where autograd's is 36; reading one and making its classes takes"
    " 0.2 ms."
)


def starting() -> Iterator[Target]:
    """The goals for importing and the first gradient, as whole processes."""
    for program in ("sum of sines", "logistic regression", "linear system"):
        figure = key("starting.FirstGradient.track_ratio", program)
        name = f"{program}: import and first gradient / autograd"
        yield Target(name, figure, 1.5, why=WHY_STARTING)


# Packages as they are imported, of which the scope is entered for their root.
ENTERED = (
    "sympy",
    "astropy.coordinates",
    "pandas",
    "networkx",
    "matplotlib.pyplot",
    "scipy.stats",
)
WHY_ENTERING = (
    "two fifths of it are the code of functions: SymPy has 13,000, of which 1,100 get another one;"
    " reading the names of all takes a sixth. The rest is spread over all that modules hold."
)


def entering() -> Iterator[Target]:
    """The goals for scopes in which packages are seen through, next to importing these."""
    for seen in ("marked", "by itself"):
        slope, first = (key(f"seen.OwnFile.track_{which}", seen) for which in ("ratio", "first"))
        yield Target(f"a file that is seen {seen}: gradient / that of another", slope, 1.3)
        yield Target(f"a file that is seen {seen}: first gradient / marked", first, 2.0)
    for package in ENTERED:
        first, later = (
            key(f"seen.Entering.track_{which}", package) for which in ("first", "later")
        )
        yield Target(f"{package}: first scope / import", first, 0.3, why=WHY_ENTERING)
        yield Target(f"{package}: a later scope", later, 0.02, "s")


TARGETS = (
    *(against(program, "autograd", 0.40) for program in CHAINS),
    *(against(program, "torch", 0.70) for program in CHAINS),
    against(LARGE, "by hand", 1.05),
    Target(
        f"{LARGE}: peak memory / by hand",
        key("memory.Peak.track_peak_ratio", LARGE),
        1.1,
        program=LARGE,
    ),
    Target(
        "rrule(sin, x) and pullback above NumPy, size 1",
        key("dispatch.Calls.track_overhead"),
        1.2,
        "µs",
        why=(
            "the lookup by a tuple of classes, the comparison of the cotangent's shape and dtype"
            " with the output's, and NumPy's error state, which is set and reset so that an exactly"
            " zero cotangent stays zero through an infinite partial."
        ),
    ),
    Target(
        "resolve hits its cache",
        key("dispatch.Lookup.track_resolve"),
        150.0,
        "ns",
        why=(
            "a call and a lookup in a dictionary by a tuple of classes: as fast as the machine is,"
            " see the empty call above."
        ),
    ),
    Target(
        "cost per operation, 10⁶ operations / 10³", key("tape.Length.track_growth", 1_000_000), 1.15
    ),
    # O(n) is 1 and O(n²) is 10; what is between them is caches.
    Target(
        "cost per read of single numbers, n = 10⁴ / 10³",
        key("tape.Reads.track_growth", 10_000),
        2.0,
    ),
    *(against(program, "autograd", 0.5) for program in ADBENCH),
    *(against(program, "torch", 0.9) for program in ADBENCH),
    against(ADBENCH[0], "by hand", 1.4),
    Target(
        "import chainrules_py above numpy",
        key("dispatch.Start.track_import", "chainrules_py"),
        30.0,
        "ms",
        why="the modules of the table and of the makers, 0.2 ms each.",
    ),
    *starting(),
    *compiled_programs(),
    *loops(),
    *slow_calls(),
    *of_numbers(),
    *writing(),
    *entering(),
    *many_examples(),
    *sparse_matrices(),
    *series(),
    *of_programs("whole program in JAX / custom_vjp by hand", "InJax.track_by_hand", 1.1),
    *of_programs("whole program in PyTorch / by hand", "InTorch.track_by_hand", 1.15, WHY_IN_TORCH),
    *of_programs("vmap of 256 examples in JAX / 256 calls", "InJax.track_batch", 0.1),
    *of_programs("vmap of 256 examples in PyTorch / 256 calls", "InTorch.track_batch", 0.1),
)
