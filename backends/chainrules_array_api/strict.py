"""The arrays of `array_api_strict`, which have what the standard says and nothing else: by these
the adapter is tested.
"""

from array_api_strict._array_object import Array

from chainrules_array_api.types import join

library = join(Array)
