"""Tensors with NumPy's names and meaning: what a rule gets when it runs on tensors.

promotion      NumPy's dtypes for PyTorch's, and the dtype in which values meet
indices        entries by NumPy's indices
tensor_array   `TensorArray`: a tensor with NumPy's attributes, operators and indices
elementwise reductions shapes joining diagonals creation products ordering linalg fourier
               NumPy's functions, by topic; what a module defines in capitals is collected
namespace      all of them as `xp`, and the methods of `TensorArray`

A function that is not here runs by its body, where it is a program of others; any other is computed by
NumPy, through `to_torch`, so that no derivative is lost.
Each function must give NumPy's value, dtype and shape;
`tests/chainrules_torch/together/test_tensors.py` holds it to that.
"""
