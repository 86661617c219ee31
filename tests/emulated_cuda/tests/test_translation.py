"""What the translator cannot translate it refuses, and says which statement that is: nothing is
skipped.
"""

import pytest

from emulated_cuda.ptx import UnknownPTX, translate

KERNEL = """
.version 8.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    .reg .f32 %f<3>;
    {statement};
    ret;
}}
"""
REFUSED = [
    "vadd4.u32.u32.u32 %r1, %r2, %r3, %r3",  # no such opcode in any file
    "dp4a.u32.u32 %r1, %r2, %r3, %r3",
    "add.s16x2 %r1, %r2, %r3",  # no such type
    "add.rn.relu.f32 %f1, %f2, %f2",  # a modifier that changes the result
    "lop3.or.b32 %r1|%p1, %r1, %r2, %r3, 0x3f, %p1",
    "setp.between.s32 %p1, %r1, %r2",
    "cvt.rna.tf32.f32 %r1, %f1",
    "atom.global.mul.u32 %r1, [%rd1], %r2",
    "bar.sync 1, 64",
    "vote.ballot.b32 %r1, %p1",  # of the time before masks
    "call (%r1), %rd1, (%r2), prototype",
    "add.s32 %r1, %r2",
    "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f2}, [%rd1, {%f1, %f2}]",
]


@pytest.mark.parametrize("statement", REFUSED)
def test_refusals(statement):
    with pytest.raises(UnknownPTX) as caught:
        translate(KERNEL.format(statement=statement))
    assert caught.value.where == "k"
    assert caught.value.statement == statement


@pytest.mark.parametrize(
    ("statement", "unknown"),
    [("mov.u32 %r1, %r9", "%r9"), ("st.global.u32 [%rd1], %clusterid.x", "%clusterid.x")],
)
def test_unknown_operands(statement, unknown):
    with pytest.raises(UnknownPTX) as caught:
        translate(KERNEL.format(statement=statement))
    assert caught.value.statement == unknown


@pytest.mark.parametrize("variable", [".global .texref t", ".surfref s", ".reg .b128 %q<2>"])
def test_unknown_declarations(variable):
    with pytest.raises(UnknownPTX):
        translate(KERNEL.format(statement=variable))
