"""Importing this module accepts the arrays of `ndonnx` in programs."""

from ndonnx import Array

from chainrules_array_api.library import join

library = join(Array)
