"""Scalar rules as CUDA kernels: expressions become C++ per dtype pattern, and one launch computes
all cotangents.
"""
