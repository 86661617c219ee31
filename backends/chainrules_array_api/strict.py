"""Importing this module accepts the arrays of `array_api_strict` in programs.

They have nothing but what the standard demands, so the tests of this adapter run on them.
"""

from array_api_strict._array_object import Array

from chainrules_array_api.library import join

library = join(Array)
