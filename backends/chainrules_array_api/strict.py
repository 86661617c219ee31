"""Let the arrays of `array_api_strict` into programs, which have nothing but the standard: tests of
the adapter use them.
"""

from array_api_strict._array_object import Array

from chainrules_array_api.types import join

library = join(Array)
