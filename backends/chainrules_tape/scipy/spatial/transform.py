"""`scipy.spatial.transform` for code that is differentiated: rotations made of traced vectors,
angles, matrices or quaternions.

>>> import numpy as np
>>> from chainrules_tape import grad
>>> from chainrules_tape.scipy.spatial.transform import Rotation
>>> turned = lambda angle: Rotation.from_euler("z", angle).apply([1.0, 0.0, 0.0])[1]
>>> round(grad(turned)(0.0), 12)
1.0
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import linalg
from scipy.spatial import transform

from chainrules_py import implicit_function
from chainrules_py.annotations import Function
from chainrules_py.errors import OptionError
from chainrules_tape.core.levels import call_traced, innermost
from chainrules_tape.numpy.namespaces import stand_in
from chainrules_tape.scipy.objects import (
    StandInObject,
    example,
    floats,
    is_in_lanes,
    public_place,
    traced_option_error,
)
from chainrules_tape.scipy.spatial import quaternions


class Rotation(StandInObject):
    """`scipy.spatial.transform.Rotation`, kept as a quaternion, with the scalar last.

    Several rotations have a row each.
    """

    made_by = transform.Rotation
    instead = "compute it from as_quat() or as_matrix()"

    def __init__(
        self, quat, normalize: bool = True, copy: bool = True, scalar_first: bool = False
    ) -> None:
        quat = floats(quat)
        self.is_traced = innermost((quat,)) is not None
        self.plain = transform.Rotation(
            example(quat), normalize=normalize, scalar_first=scalar_first
        )
        quat = quaternions.scalar_last(quat) if scalar_first else quat
        self.quat = quaternions.normalized(quat) if normalize else quat

    def __reduce__(self) -> Any:
        return Rotation, (self.quat, False)

    # --- Rotations made of something ---

    @classmethod
    def of(cls, quat) -> "Rotation":
        """The rotation of a quaternion whose length is one."""
        return cls(quat, normalize=False)

    @classmethod
    def in_place_of(cls, own) -> "Rotation":
        """The rotation in the place of one of SciPy's."""
        return cls.of(own.as_quat())

    @classmethod
    def from_quat(cls, quat, *, scalar_first: bool = False) -> "Rotation":
        """The rotations of quaternions of any length."""
        return cls(quat, scalar_first=scalar_first)

    @classmethod
    def from_rotvec(cls, rotvec, degrees: bool = False) -> "Rotation":
        """The rotations about vectors, by their lengths."""
        transform.Rotation.from_rotvec(example(rotvec))  # raises where SciPy does
        rotvec = floats(rotvec)
        return cls.of(quaternions.of_vector(rotvec * (np.pi / 180) if degrees else rotvec))

    @classmethod
    def from_mrp(cls, mrp) -> "Rotation":
        """The rotations of modified Rodrigues parameters."""
        transform.Rotation.from_mrp(example(mrp))
        mrp = floats(mrp)
        square = np.sum(mrp * mrp, axis=-1, keepdims=True)
        return cls.of(np.concatenate([2 * mrp, 1 - square], axis=-1) / (1 + square))

    @classmethod
    def from_matrix(cls, matrix, *, assume_valid: bool = False) -> "Rotation":
        """The rotations of matrices; of one that is not orthogonal, the nearest."""
        plain = transform.Rotation.from_matrix(example(matrix))
        matrix = floats(matrix)
        if innermost((matrix,)) is None:
            return cls.of(plain.as_quat())
        if not assume_valid:
            each = np.reshape(matrix, (-1, 3, 3))
            factors = [call_traced(linalg.polar, (each[k],), {})[0] for k in range(each.shape[0])]
            matrix = np.reshape(np.stack(factors), matrix.shape)
        found = None if is_in_lanes(matrix) else plain.as_quat()
        return cls.of(quaternions.of_matrix(matrix, found))

    @classmethod
    def from_euler(cls, seq: str, angles, degrees: bool = False) -> "Rotation":
        """The rotations about axes one after the other; capital letters stand for axes that turn,
        too.
        """
        plain = transform.Rotation.from_euler(seq, example(angles), degrees)
        angles = floats(angles) * (np.pi / 180 if degrees else 1.0)
        angles = np.reshape(angles, (*np.shape(plain.as_quat())[:-1], len(seq)))
        turns = [quaternions.about_axis(axis, angles[..., k]) for k, axis in enumerate(seq.lower())]
        whole = turns[0]
        for turn in turns[1:]:
            pair = (whole, turn) if seq.isupper() else (turn, whole)
            whole = quaternions.product_of_quaternions(*pair)
        return cls.of(whole)

    @classmethod
    def concatenate(cls, rotations: Sequence[Any]) -> "Rotation":
        """Rotations one after the other."""
        return cls.of(np.concatenate([np.reshape(each.as_quat(), (-1, 4)) for each in rotations]))

    @classmethod
    def identity(cls, *args, **options) -> "Rotation":
        """The rotation that changes nothing."""
        return cls.of(transform.Rotation.identity(*args, **options).as_quat())

    @classmethod
    def random(cls, *args, **options) -> "Rotation":
        """Rotations drawn at random."""
        return cls.of(transform.Rotation.random(*args, **options).as_quat())

    @classmethod
    def align_vectors(cls, *args, **options) -> Any:
        """The rotation that fits vectors to others, which are constants."""
        if innermost((*args, *options.values())) is not None:
            got, instead = "align_vectors of traced vectors", "compute it by numpy.linalg.svd"
            raise OptionError(
                public_place(cls.made_by),
                got,
                instead,
                primal=cls.made_by,
                option="align_vectors",
                value=args,
            )
        made, *others = transform.Rotation.align_vectors(*args, **options)
        return cls.of(made.as_quat()), *others

    create_group: Function = transform.Rotation.create_group

    # --- What they are ---

    def as_quat(self, canonical: bool = False, *, scalar_first: bool = False) -> Any:
        """The quaternions."""
        quat = self.quat * quaternions.sign_of(self.quat) if canonical else self.quat
        return quaternions.scalar_first(quat) if scalar_first else quat

    def as_matrix(self) -> Any:
        """The matrices."""
        return quaternions.matrix(self.quat) if self.is_traced else self.plain.as_matrix()

    def as_rotvec(self, degrees: bool = False) -> Any:
        """The axes, as long as the angles."""
        return quaternions.vector(self.quat) * (180 / np.pi if degrees else 1.0)

    def as_mrp(self) -> Any:
        """The modified Rodrigues parameters."""
        quat = self.quat * quaternions.sign_of(self.quat)
        return quat[..., :3] / (1 + quat[..., 3:])

    def as_euler(self, seq: str, degrees: bool = False, **options) -> Any:
        """The angles about axes one after the other."""
        if not self.is_traced:
            return self.plain.as_euler(seq, degrees, **options)
        # warns of angles that are not determined, and raises where SciPy does
        self.plain.as_euler(seq, degrees)
        return quaternions.angles(self.quat, seq) * (180 / np.pi if degrees else 1.0)

    def magnitude(self) -> Any:
        """The angles by which is turned."""
        return quaternions.angle(self.quat)

    # --- What they do ---

    def apply(self, vectors, inverse: bool = False) -> Any:
        """The turned vectors."""
        turned = self.plain.apply(example(vectors), inverse)  # raises where SciPy does
        if not self.is_traced and innermost((vectors,)) is None:
            return turned
        matrix = quaternions.matrix(self.quat)
        return np.einsum(
            "...ji,...j->...i" if inverse else "...ij,...j->...i", matrix, floats(vectors)
        )

    def inv(self) -> "Rotation":
        """The inverse rotations."""
        return self.of(quaternions.conjugate(self.quat))

    def mean(self, weights: Any = None, **options) -> "Rotation":
        """The mean, whose quaternion is along the longest axis of all of them."""
        # raises where SciPy does
        plain = self.plain.mean(example(weights), **options)
        if not self.is_traced and innermost((weights,)) is None:
            return self.of(plain.as_quat())
        if options.get("axis") is not None or self.quat.ndim > 2:
            value = options.get("axis")
            raise traced_option_error(
                self.made_by.mean, "axis", value, "take the mean of one row of rotations"
            )
        quat = np.reshape(self.quat, (-1, 4))
        weighted = quat if weights is None else quat * floats(weights)[:, None]
        square = weighted.T @ quat
        if is_in_lanes(square):
            return self.of(np.linalg.eigh(square)[1][:, -1])
        longest = implicit_function(lambda square: plain.as_quat(), quaternions.axis_residual)
        return self.of(longest(square))

    def __mul__(self, other) -> "Rotation":
        if not isinstance(other, Rotation):
            return NotImplemented
        return self.of(
            quaternions.normalized(quaternions.product_of_quaternions(self.quat, other.as_quat()))
        )

    def __rmul__(self, other) -> "Rotation":
        return self.of(other.as_quat()) * self if isinstance(other, Rotation) else NotImplemented

    def __pow__(self, n: float, modulus: Any = None) -> "Rotation":
        return self.from_rotvec(self.as_rotvec() * n)

    def __getitem__(self, index) -> "Rotation":
        self.plain[index]
        return self.of(self.quat[index])

    def __len__(self) -> int:
        return len(self.plain)

    @property
    def single(self) -> bool:
        """Whether it is one rotation, and not a row of them."""
        return self.plain.single

    def __repr__(self) -> str:
        return f"Rotation({self.quat!r})"


__getattr__, __dir__ = stand_in(transform, globals())
