"""Tensors with NumPy's names and meaning: what a rule gets when it runs on tensors.

dtypes         NumPy's dtypes for PyTorch's
indices        entries by NumPy's indices
tensor_array   `TensorArray`: a tensor as an array of the standard
writing        entries that are written or added, by PyTorch's own functions
namespace      `xp`: what the standard has, computed by PyTorch, and where PyTorch differs from NumPy

A function that is not here runs by its body, where it is a program of others; any other is computed by
NumPy, through `to_torch`, so that no derivative is lost.
"""
