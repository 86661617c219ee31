"""What stands in for what tests cannot have: the compiler of a device's kernels, an engine; and what
runs on several devices or libraries.

Tests of several files share these modules; a module that only one test file needs belongs into that
file.

In place of kernels on a device, and of an engine:

    host_kernels        the C++ of kernels, compiled for the host and run in a loop
    table_engine        an engine that differentiates by the table of rules alone

In place of classes of users:

    fields              a subclass of NumPy's arrays

What runs on a device, and on other libraries:

    device_runs         samples of rules on a device, against NumPy
    devices             CuPy, for `device_runs`
    what_waits          which rules may wait or copy, and why
    waiting             watching CuPy for waits of the host and copies to the device
    scalar_cases        calls of every scalar rule
    second_order        second derivatives in three orders of the modes
    array_makers        an array of each library that NumPy programs run on
    moving_leaves       the numbers of a value that are differentiated
"""
