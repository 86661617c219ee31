"""An array library that writes down what is done with its arrays: programs for `compiled`.

program         the list of calls that comes out
steps           what a step reads and makes
repetitions     the stretches of a program that repeat, as loops
notation        operands and calls as a person writes them
errors          what cannot be recorded, and what a program did not see while it was recorded
known_results   what is known of results before a function is called
places          the lines of the user's program
operations      the recording: calls are run on NumPy's arrays, and written down
operators       the operators of Python that these answer, with their ufuncs and signs
types           recorded arrays and numbers, and what they answer
namespace       `xp` of rules that run on them
library         the array library that all of this is
record          `record`: a function becomes a program
"""
