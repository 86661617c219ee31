"""The meaning of a call: which primal it is of, and its arguments in one canonical form.

Read `canonical` first, then `callform`; `tangent_order` puts tangents in the order of the call.
"""
