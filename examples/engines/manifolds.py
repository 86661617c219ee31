"""A backend of pymanopt, which minimises on manifolds: its gradients and products with Hessians from
any engine that `derivatives` knows.

    cost = function_of(manifold, engine="jax")(lambda point: -np.trace(point.T @ matrix @ point))
    TrustRegions().run(Problem(manifold, cost))
"""

from pymanopt.autodiff import backend_decorator_factory
from pymanopt.autodiff.backends._backend import Backend

from chainrules_engines import derivatives


class EngineBackend(Backend):
    """What pymanopt asks of a backend, by one engine."""

    def __init__(self, engine="tape"):
        super().__init__(f"chainrules ({engine})")
        self.engine = engine

    @staticmethod
    def is_available():
        return True

    def prepare_function(self, function):
        return function

    def of(self, function, count):
        return derivatives(function, self.engine, argnums=tuple(range(count)))

    def generate_gradient_operator(self, function, count):
        d = self.of(function, count)
        return d.gradient if count > 1 else lambda point: d.gradient(point)[0]

    def generate_hessian_operator(self, function, count):
        d = self.of(function, count)

        def product(*args):
            found = d.hvp(*args[:count], args[count:])
            return found if count > 1 else found[0]

        return product


def function_of(manifold, engine="tape"):
    """Mark a cost on a manifold, of NumPy's arrays, as `pymanopt.function.numpy` does."""
    return backend_decorator_factory(lambda: EngineBackend(engine))(manifold)
