"""What stands in for what tests cannot have: a device, the compiler of its kernels, an engine; and
what is run on both.

Tests of several files share these modules; a module that only one test file needs belongs into that
file.

In place of CuPy on a device, CuPy's namespace on NumPy's arrays:

    stand_in            the stand-in, put together and joined to the libraries that rules know; begin here
    ledger              what is written down when the host waits or copies, and which functions cause it
    device_array        its array class, and the way of values between host and device
    device_functions    its functions, ufuncs and namespaces

In place of kernels on a device, and of an engine:

    host_kernels        the C++ of kernels, compiled for the host and run in a loop
    table_engine        an engine that knows nothing but the table of rules

In place of classes of users:

    fields              a subclass of NumPy's arrays

What runs on the stand-in and on a device alike:

    device_runs         samples of rules on a device, against NumPy
    devices             both devices, for `device_runs`
    what_waits          which rules may wait or copy, and why
    waiting             watching CuPy for waits of the host
    scalar_cases        calls of every scalar rule
    second_order        second derivatives in three orders of the modes
    masks               indices with masks
    array_makers        an array of each library that NumPy programs run on
    moving_leaves       the numbers of a value that are differentiated
    constant_indices    functions whose rules read at an index that they make
"""
