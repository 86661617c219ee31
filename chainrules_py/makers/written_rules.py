# ruff: noqa: D103, E701, F821
# mypy: ignore-errors
# pyright: basic, reportUndefinedVariable=false, reportRedeclaration=false
# fmt: off
"""The texts of rules that most programs need, as the makers write them (see `writing`).

Python compiles this module once and keeps it, where a text is compiled in each process anew. Nobody
edits it: `tests/chainrules_py/makers/write_rules.py` writes it, and a text that a maker writes
otherwise is compiled as any other. Nobody calls these functions either: what they name is in the
scope of the rule that is made of their code.
"""

from typing import Any

FUNCTIONS: dict[int, Any] = {}  # by the digest of their text

def absolute_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, absolute_pull, (out.dtype, x,)
def absolute_pull(residuals, out_bar):
    (out_dtype, x,) = residuals
    out_shape = x.shape
    x_dtype = x.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar * (sign(x))
    if x_bar.dtype is not x_dtype: x_bar = fit(x_bar, out_shape, x_dtype)
    return (x_bar,)
FUNCTIONS[61342426488662961657704386558801415666] = (absolute_stage, absolute_pull,)

def absolute_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, absolute_pull, (out.dtype, out.shape, x, type(x),)
def absolute_pull(residuals, out_bar):
    (out_dtype, out_shape, x, x_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar * (sign(x))
    x_bar = fit_number(x_bar, x_class)
    return (x_bar,)
FUNCTIONS[86682001927069206376190231502205964503] = (absolute_stage, absolute_pull,)

def cos_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, cos_pull, (out.dtype, x,)
def cos_pull(residuals, out_bar):
    (out_dtype, x,) = residuals
    out_shape = x.shape
    x_dtype = x.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar * (-sin(x))
    if x_bar.dtype is not x_dtype: x_bar = fit(x_bar, out_shape, x_dtype)
    return (x_bar,)
FUNCTIONS[22440223039442644120244166004322001245] = (cos_stage, cos_pull,)

def cos_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, cos_pull, (out.dtype, out.shape, x, type(x),)
def cos_pull(residuals, out_bar):
    (out_dtype, out_shape, x, x_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar * (-sin(x))
    x_bar = fit_number(x_bar, x_class)
    return (x_bar,)
FUNCTIONS[109404427452004686040362351659578311296] = (cos_stage, cos_pull,)

def exp_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, exp_pull, (out, x.dtype,)
def exp_pull(residuals, out_bar):
    (out, x_dtype,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar * (out)
    if x_bar.dtype is not x_dtype: x_bar = fit(x_bar, out_shape, x_dtype)
    return (x_bar,)
FUNCTIONS[114146503830010162457852249569057545704] = (exp_stage, exp_pull,)

def exp_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, exp_pull, (out, type(x),)
def exp_pull(residuals, out_bar):
    (out, x_class,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar * (out)
    x_bar = fit_number(x_bar, x_class)
    return (x_bar,)
FUNCTIONS[156405799943689396095613414082776905684] = (exp_stage, exp_pull,)

def log_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, log_pull, (out.dtype, x,)
def log_pull(residuals, out_bar):
    (out_dtype, x,) = residuals
    out_shape = x.shape
    x_dtype = x.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = strong(out_bar, (1 / x))
    if x_bar.dtype is not x_dtype: x_bar = fit(x_bar, out_shape, x_dtype)
    return (x_bar,)
FUNCTIONS[137544355769090626407483556005238332299] = (log_stage, log_pull,)

def log_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, log_pull, (out.dtype, out.shape, x, type(x),)
def log_pull(residuals, out_bar):
    (out_dtype, out_shape, x, x_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = strong(out_bar, (quotient(1, x)))
    x_bar = fit_number(x_bar, x_class)
    return (x_bar,)
FUNCTIONS[153230277189245590565726306381741330284] = (log_stage, log_pull,)

def log1p_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, log1p_pull, (out.dtype, x,)
def log1p_pull(residuals, out_bar):
    (out_dtype, x,) = residuals
    out_shape = x.shape
    x_dtype = x.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = strong(out_bar, (1 / (1 + x)))
    if x_bar.dtype is not x_dtype: x_bar = fit(x_bar, out_shape, x_dtype)
    return (x_bar,)
FUNCTIONS[161014734363191486785469246152821845855] = (log1p_stage, log1p_pull,)

def log1p_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, log1p_pull, (out.dtype, out.shape, x, type(x),)
def log1p_pull(residuals, out_bar):
    (out_dtype, out_shape, x, x_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = strong(out_bar, (quotient(1, 1 + x)))
    x_bar = fit_number(x_bar, x_class)
    return (x_bar,)
FUNCTIONS[157963909186952343181298456932531322521] = (log1p_stage, log1p_pull,)

def negative_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, negative_pull, (out.dtype, x.shape, x.dtype,)
def negative_pull(residuals, out_bar):
    (out_dtype, out_shape, x_dtype,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar
    if x_bar.dtype is not x_dtype: x_bar = fit(x_bar, out_shape, x_dtype)
    x_bar = -x_bar
    return (x_bar,)
FUNCTIONS[26827525195093284650179527195193326574] = (negative_stage, negative_pull,)

def negative_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, negative_pull, (out.dtype, out.shape, type(x),)
def negative_pull(residuals, out_bar):
    (out_dtype, out_shape, x_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar
    x_bar = fit_number(x_bar, x_class)
    x_bar = -x_bar
    return (x_bar,)
FUNCTIONS[124659095301764367130408424540199511555] = (negative_stage, negative_pull,)

def sin_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, sin_pull, (out.dtype, x,)
def sin_pull(residuals, out_bar):
    (out_dtype, x,) = residuals
    out_shape = x.shape
    x_dtype = x.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar * (cos(x))
    if x_bar.dtype is not x_dtype: x_bar = fit(x_bar, out_shape, x_dtype)
    return (x_bar,)
FUNCTIONS[139845561525505891365696207409343166291] = (sin_stage, sin_pull,)

def sin_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, sin_pull, (out.dtype, out.shape, x, type(x),)
def sin_pull(residuals, out_bar):
    (out_dtype, out_shape, x, x_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar * (cos(x))
    x_bar = fit_number(x_bar, x_class)
    return (x_bar,)
FUNCTIONS[19018620443788575204522458157213573795] = (sin_stage, sin_pull,)

def sqrt_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, sqrt_pull, (out, x.dtype,)
def sqrt_pull(residuals, out_bar):
    (out, x_dtype,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = strong(out_bar, (0.5 / out))
    if x_bar.dtype is not x_dtype: x_bar = fit(x_bar, out_shape, x_dtype)
    return (x_bar,)
FUNCTIONS[67783146417965458569715611874309857571] = (sqrt_stage, sqrt_pull,)

def sqrt_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, sqrt_pull, (out, type(x),)
def sqrt_pull(residuals, out_bar):
    (out, x_class,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = strong(out_bar, (0.5 / out))
    x_bar = fit_number(x_bar, x_class)
    return (x_bar,)
FUNCTIONS[120262321335444456529061380387947355904] = (sqrt_stage, sqrt_pull,)

def square_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, square_pull, (out.dtype, x,)
def square_pull(residuals, out_bar):
    (out_dtype, x,) = residuals
    out_shape = x.shape
    x_dtype = x.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar * (2 * x)
    if x_bar.dtype is not x_dtype: x_bar = fit(x_bar, out_shape, x_dtype)
    return (x_bar,)
FUNCTIONS[163137966184795590918406258294420112599] = (square_stage, square_pull,)

def square_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, square_pull, (out.dtype, out.shape, x, type(x),)
def square_pull(residuals, out_bar):
    (out_dtype, out_shape, x, x_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar * (2 * x)
    x_bar = fit_number(x_bar, x_class)
    return (x_bar,)
FUNCTIONS[1223710490700600963411205598422267645] = (square_stage, square_pull,)

def tanh_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, tanh_pull, (out, x.dtype,)
def tanh_pull(residuals, out_bar):
    (out, x_dtype,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar * (1 - out * out)
    if x_bar.dtype is not x_dtype: x_bar = fit(x_bar, out_shape, x_dtype)
    return (x_bar,)
FUNCTIONS[75006041155253513296808541137451813037] = (tanh_stage, tanh_pull,)

def tanh_stage(x):
    out = primal(x)
    if out.dtype.kind == 'c':
        return conjugating(out, x)
    return out, tanh_pull, (out, type(x),)
def tanh_pull(residuals, out_bar):
    (out, x_class,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO,)
    x_bar = out_bar * (1 - out * out)
    x_bar = fit_number(x_bar, x_class)
    return (x_bar,)
FUNCTIONS[68697588797071903090656009036571163232] = (tanh_stage, tanh_pull,)

def add_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, add_pull, (out.dtype, out.shape, x1.dtype, x1.shape, x2.dtype, x2.shape,)
def add_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_dtype, x1_shape, x2_dtype, x2_shape,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = out_bar
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    x2_bar = out_bar
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (x1_bar, x2_bar,)
FUNCTIONS[42697053386878062727326293948314431098] = (add_stage, add_pull,)

def add_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, add_pull, (out.dtype, out.shape, x1.dtype, x1.shape,)
def add_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_dtype, x1_shape,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = out_bar
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[103519424163235556146599938931713688392] = (add_stage, add_pull,)

def add_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, add_pull, (out.dtype, out.shape, x2.dtype, x2.shape,)
def add_pull(residuals, out_bar):
    (out_dtype, out_shape, x2_dtype, x2_shape,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (NO_TANGENT, ZERO,)
    x2_bar = out_bar
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (NO_TANGENT, x2_bar,)
FUNCTIONS[18391128960372911784132148767993974904] = (add_stage, add_pull,)

def add_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, add_pull, (out.dtype, out.shape, x1.dtype, x1.shape, type(x2),)
def add_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_dtype, x1_shape, x2_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = out_bar
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    x2_bar = out_bar
    x2_bar = fit_number(x2_bar, x2_class)
    return (x1_bar, x2_bar,)
FUNCTIONS[146184919236754736439800415485747380299] = (add_stage, add_pull,)

def add_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, add_pull, (out.dtype, out.shape, type(x2),)
def add_pull(residuals, out_bar):
    (out_dtype, out_shape, x2_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (NO_TANGENT, ZERO,)
    x2_bar = out_bar
    x2_bar = fit_number(x2_bar, x2_class)
    return (NO_TANGENT, x2_bar,)
FUNCTIONS[130115721098630706515186450206241004243] = (add_stage, add_pull,)

def add_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, add_pull, (out.dtype, out.shape, type(x1), x2.dtype, x2.shape,)
def add_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_class, x2_dtype, x2_shape,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = out_bar
    x1_bar = fit_number(x1_bar, x1_class)
    x2_bar = out_bar
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (x1_bar, x2_bar,)
FUNCTIONS[53259689920547235388599936927568977487] = (add_stage, add_pull,)

def add_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, add_pull, (out.dtype, out.shape, type(x1),)
def add_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = out_bar
    x1_bar = fit_number(x1_bar, x1_class)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[85718270785001041989576004942704027793] = (add_stage, add_pull,)

def add_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, add_pull, (out.dtype, out.shape, type(x1), type(x2),)
def add_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_class, x2_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = out_bar
    x1_bar = fit_number(x1_bar, x1_class)
    x2_bar = out_bar
    x2_bar = fit_number(x2_bar, x2_class)
    return (x1_bar, x2_bar,)
FUNCTIONS[44985135097353524768480923899124002721] = (add_stage, add_pull,)

def subtract_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, subtract_pull, (out.dtype, out.shape, x1.dtype, x1.shape, x2.dtype, x2.shape,)
def subtract_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_dtype, x1_shape, x2_dtype, x2_shape,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = out_bar
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    x2_bar = out_bar
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    x2_bar = -x2_bar
    return (x1_bar, x2_bar,)
FUNCTIONS[153034414917796152180817911662168356466] = (subtract_stage, subtract_pull,)

def subtract_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, subtract_pull, (out.dtype, out.shape, x1.dtype, x1.shape,)
def subtract_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_dtype, x1_shape,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = out_bar
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[63025091060205543669975419657550794717] = (subtract_stage, subtract_pull,)

def subtract_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, subtract_pull, (out.dtype, out.shape, x2.dtype, x2.shape,)
def subtract_pull(residuals, out_bar):
    (out_dtype, out_shape, x2_dtype, x2_shape,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (NO_TANGENT, ZERO,)
    x2_bar = out_bar
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    x2_bar = -x2_bar
    return (NO_TANGENT, x2_bar,)
FUNCTIONS[56543746959206204728315439738546652910] = (subtract_stage, subtract_pull,)

def subtract_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, subtract_pull, (out.dtype, out.shape, x1.dtype, x1.shape, type(x2),)
def subtract_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_dtype, x1_shape, x2_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = out_bar
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    x2_bar = out_bar
    x2_bar = fit_number(x2_bar, x2_class)
    x2_bar = -x2_bar
    return (x1_bar, x2_bar,)
FUNCTIONS[157485571257057918942586725532547705029] = (subtract_stage, subtract_pull,)

def subtract_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, subtract_pull, (out.dtype, out.shape, type(x2),)
def subtract_pull(residuals, out_bar):
    (out_dtype, out_shape, x2_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (NO_TANGENT, ZERO,)
    x2_bar = out_bar
    x2_bar = fit_number(x2_bar, x2_class)
    x2_bar = -x2_bar
    return (NO_TANGENT, x2_bar,)
FUNCTIONS[144984230160794791083205842306248775459] = (subtract_stage, subtract_pull,)

def subtract_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, subtract_pull, (out.dtype, out.shape, type(x1), x2.dtype, x2.shape,)
def subtract_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_class, x2_dtype, x2_shape,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = out_bar
    x1_bar = fit_number(x1_bar, x1_class)
    x2_bar = out_bar
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    x2_bar = -x2_bar
    return (x1_bar, x2_bar,)
FUNCTIONS[122346826480024179258677034160362716300] = (subtract_stage, subtract_pull,)

def subtract_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, subtract_pull, (out.dtype, out.shape, type(x1),)
def subtract_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = out_bar
    x1_bar = fit_number(x1_bar, x1_class)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[23452741362442301191434354300437970017] = (subtract_stage, subtract_pull,)

def subtract_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, subtract_pull, (out.dtype, out.shape, type(x1), type(x2),)
def subtract_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_class, x2_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = out_bar
    x1_bar = fit_number(x1_bar, x1_class)
    x2_bar = out_bar
    x2_bar = fit_number(x2_bar, x2_class)
    x2_bar = -x2_bar
    return (x1_bar, x2_bar,)
FUNCTIONS[123727956943443664011559445945954708302] = (subtract_stage, subtract_pull,)

def multiply_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, multiply_pull, (out.dtype, out.shape, x1, x2,)
def multiply_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x2,) = residuals
    x1_shape = x1.shape
    x1_dtype = x1.dtype
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = out_bar * (x2)
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    x2_bar = out_bar * (x1)
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (x1_bar, x2_bar,)
FUNCTIONS[66348052102500311098050970692554869763] = (multiply_stage, multiply_pull,)

def multiply_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, multiply_pull, (out.dtype, out.shape, x1.dtype, x1.shape, x2,)
def multiply_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_dtype, x1_shape, x2,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = out_bar * (x2)
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[78838075136325616287370540946775928327] = (multiply_stage, multiply_pull,)

def multiply_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, multiply_pull, (out.dtype, out.shape, x1, x2.dtype, x2.shape,)
def multiply_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x2_dtype, x2_shape,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (NO_TANGENT, ZERO,)
    x2_bar = out_bar * (x1)
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (NO_TANGENT, x2_bar,)
FUNCTIONS[66864702526339463338562798627078615424] = (multiply_stage, multiply_pull,)

def multiply_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, multiply_pull, (out.dtype, out.shape, x1, x2, type(x2),)
def multiply_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x2, x2_class,) = residuals
    x1_shape = x1.shape
    x1_dtype = x1.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = out_bar * (x2)
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    x2_bar = out_bar * (x1)
    x2_bar = fit_number(x2_bar, x2_class)
    return (x1_bar, x2_bar,)
FUNCTIONS[13875125884742884075490572787755109695] = (multiply_stage, multiply_pull,)

def multiply_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, multiply_pull, (out.dtype, out.shape, x1, type(x2),)
def multiply_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x2_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (NO_TANGENT, ZERO,)
    x2_bar = out_bar * (x1)
    x2_bar = fit_number(x2_bar, x2_class)
    return (NO_TANGENT, x2_bar,)
FUNCTIONS[122973641332945825635498525168037540648] = (multiply_stage, multiply_pull,)

def multiply_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, multiply_pull, (out.dtype, out.shape, x1, type(x1), x2,)
def multiply_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x1_class, x2,) = residuals
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = out_bar * (x2)
    x1_bar = fit_number(x1_bar, x1_class)
    x2_bar = out_bar * (x1)
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (x1_bar, x2_bar,)
FUNCTIONS[18621756989996347909106675957579931428] = (multiply_stage, multiply_pull,)

def multiply_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, multiply_pull, (out.dtype, out.shape, type(x1), x2,)
def multiply_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_class, x2,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = out_bar * (x2)
    x1_bar = fit_number(x1_bar, x1_class)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[128150107701837747720046313447382720514] = (multiply_stage, multiply_pull,)

def multiply_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, multiply_pull, (out.dtype, out.shape, x1, type(x1), x2, type(x2),)
def multiply_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x1_class, x2, x2_class,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = out_bar * (x2)
    x1_bar = fit_number(x1_bar, x1_class)
    x2_bar = out_bar * (x1)
    x2_bar = fit_number(x2_bar, x2_class)
    return (x1_bar, x2_bar,)
FUNCTIONS[93732905398942110045539422807716275040] = (multiply_stage, multiply_pull,)

def divide_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, divide_pull, (out, x1.dtype, x1.shape, x2,)
def divide_pull(residuals, out_bar):
    (out, x1_dtype, x1_shape, x2,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = strong(out_bar, (1 / x2))
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    x2_bar = strong(out_bar, (-out / x2))
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (x1_bar, x2_bar,)
FUNCTIONS[102118681401839295384030572155683997487] = (divide_stage, divide_pull,)

def divide_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, divide_pull, (out.dtype, out.shape, x1.dtype, x1.shape, x2,)
def divide_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_dtype, x1_shape, x2,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = strong(out_bar, (1 / x2))
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[31439776678241580648044366290430942879] = (divide_stage, divide_pull,)

def divide_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, divide_pull, (out, x2,)
def divide_pull(residuals, out_bar):
    (out, x2,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (NO_TANGENT, ZERO,)
    x2_bar = strong(out_bar, (-out / x2))
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (NO_TANGENT, x2_bar,)
FUNCTIONS[111409606402871074749828892455396729318] = (divide_stage, divide_pull,)

def divide_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, divide_pull, (out, x1.dtype, x1.shape, x2, type(x2),)
def divide_pull(residuals, out_bar):
    (out, x1_dtype, x1_shape, x2, x2_class,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = strong(out_bar, (quotient(1, x2)))
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    x2_bar = strong(out_bar, (quotient(-out, x2)))
    x2_bar = fit_number(x2_bar, x2_class)
    return (x1_bar, x2_bar,)
FUNCTIONS[137977421785110700962554277314084427643] = (divide_stage, divide_pull,)

def divide_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, divide_pull, (out.dtype, out.shape, x1.dtype, x1.shape, x2,)
def divide_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_dtype, x1_shape, x2,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = strong(out_bar, (quotient(1, x2)))
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[118121422726395113533550770166608558365] = (divide_stage, divide_pull,)

def divide_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, divide_pull, (out, x2, type(x2),)
def divide_pull(residuals, out_bar):
    (out, x2, x2_class,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (NO_TANGENT, ZERO,)
    x2_bar = strong(out_bar, (quotient(-out, x2)))
    x2_bar = fit_number(x2_bar, x2_class)
    return (NO_TANGENT, x2_bar,)
FUNCTIONS[122662539864181140824068354405809291148] = (divide_stage, divide_pull,)

def divide_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, divide_pull, (out, type(x1), x2,)
def divide_pull(residuals, out_bar):
    (out, x1_class, x2,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = strong(out_bar, (1 / x2))
    x1_bar = fit_number(x1_bar, x1_class)
    x2_bar = strong(out_bar, (-out / x2))
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (x1_bar, x2_bar,)
FUNCTIONS[155652932535408718343462808155831342822] = (divide_stage, divide_pull,)

def divide_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, divide_pull, (out.dtype, out.shape, type(x1), x2,)
def divide_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_class, x2,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = strong(out_bar, (1 / x2))
    x1_bar = fit_number(x1_bar, x1_class)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[128877845052350632333602383669722207521] = (divide_stage, divide_pull,)

def divide_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, divide_pull, (out, type(x1), x2, type(x2),)
def divide_pull(residuals, out_bar):
    (out, x1_class, x2, x2_class,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = strong(out_bar, (quotient(1, x2)))
    x1_bar = fit_number(x1_bar, x1_class)
    x2_bar = strong(out_bar, (quotient(-out, x2)))
    x2_bar = fit_number(x2_bar, x2_class)
    return (x1_bar, x2_bar,)
FUNCTIONS[49995805965204535635717116973023817646] = (divide_stage, divide_pull,)

def divide_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, divide_pull, (out.dtype, out.shape, type(x1), x2,)
def divide_pull(residuals, out_bar):
    (out_dtype, out_shape, x1_class, x2,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = strong(out_bar, (quotient(1, x2)))
    x1_bar = fit_number(x1_bar, x1_class)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[94188513433496613256117458272763623930] = (divide_stage, divide_pull,)

def power_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, power_pull, (out, x1, x2,)
def power_pull(residuals, out_bar):
    (out, x1, x2,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    x1_shape = x1.shape
    x1_dtype = x1.dtype
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = strong(out_bar, partial_0_0(x1, x2, xp=xp))
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    x2_bar = strong(out_bar, partial_0_1(x1, x2, out, xp=xp))
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (x1_bar, x2_bar,)
FUNCTIONS[90168321039176416952228121574438972593] = (power_stage, power_pull,)

def power_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, power_pull, (out.dtype, out.shape, x1, x2,)
def power_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x2,) = residuals
    x1_shape = x1.shape
    x1_dtype = x1.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = strong(out_bar, partial_0_0(x1, x2, xp=xp))
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[147454205717438868452242383912838294809] = (power_stage, power_pull,)

def power_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, power_pull, (out, x1, x2,)
def power_pull(residuals, out_bar):
    (out, x1, x2,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (NO_TANGENT, ZERO,)
    x2_bar = strong(out_bar, partial_0_1(x1, x2, out, xp=xp))
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (NO_TANGENT, x2_bar,)
FUNCTIONS[137695032943592011458973071599224120976] = (power_stage, power_pull,)

def power_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, power_pull, (out, x1, x2, type(x2),)
def power_pull(residuals, out_bar):
    (out, x1, x2, x2_class,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    x1_shape = x1.shape
    x1_dtype = x1.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = strong(out_bar, partial_0_0(x1, x2, xp=xp))
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    x2_bar = strong(out_bar, partial_0_1(x1, x2, out, xp=xp))
    x2_bar = fit_number(x2_bar, x2_class)
    return (x1_bar, x2_bar,)
FUNCTIONS[125605184470582015775814664752763970335] = (power_stage, power_pull,)

def power_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, power_pull, (out, x1, x2, type(x2),)
def power_pull(residuals, out_bar):
    (out, x1, x2, x2_class,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (NO_TANGENT, ZERO,)
    x2_bar = strong(out_bar, partial_0_1(x1, x2, out, xp=xp))
    x2_bar = fit_number(x2_bar, x2_class)
    return (NO_TANGENT, x2_bar,)
FUNCTIONS[1591951567098957415327169518602112069] = (power_stage, power_pull,)

def power_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, power_pull, (out, x1, type(x1), x2,)
def power_pull(residuals, out_bar):
    (out, x1, x1_class, x2,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = strong(out_bar, partial_0_0(x1, x2, xp=xp))
    x1_bar = fit_number(x1_bar, x1_class)
    x2_bar = strong(out_bar, partial_0_1(x1, x2, out, xp=xp))
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (x1_bar, x2_bar,)
FUNCTIONS[65502420738471364728631685590380897768] = (power_stage, power_pull,)

def power_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, power_pull, (out.dtype, out.shape, x1, type(x1), x2,)
def power_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x1_class, x2,) = residuals
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = strong(out_bar, partial_0_0(x1, x2, xp=xp))
    x1_bar = fit_number(x1_bar, x1_class)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[7917867755212062777024408564276817886] = (power_stage, power_pull,)

def power_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, power_pull, (out, x1, type(x1), x2, type(x2),)
def power_pull(residuals, out_bar):
    (out, x1, x1_class, x2, x2_class,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = strong(out_bar, partial_0_0(x1, x2, xp=xp))
    x1_bar = fit_number(x1_bar, x1_class)
    x2_bar = strong(out_bar, partial_0_1(x1, x2, out, xp=xp))
    x2_bar = fit_number(x2_bar, x2_class)
    return (x1_bar, x2_bar,)
FUNCTIONS[64934374704835089819015161928129596524] = (power_stage, power_pull,)

def maximum_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, maximum_pull, (out.dtype, out.shape, x1, x2,)
def maximum_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x2,) = residuals
    x1_shape = x1.shape
    x1_dtype = x1.dtype
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = selected(out_bar, (where(x1 == x2, 0.5, x1 > x2)))
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    x2_bar = selected(out_bar, (where(x1 == x2, 0.5, x2 > x1)))
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (x1_bar, x2_bar,)
FUNCTIONS[69554327559460873314141135378555187655] = (maximum_stage, maximum_pull,)

def maximum_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, maximum_pull, (out.dtype, out.shape, x1, x2,)
def maximum_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x2,) = residuals
    x1_shape = x1.shape
    x1_dtype = x1.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = selected(out_bar, (where(x1 == x2, 0.5, x1 > x2)))
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[36748966270519926250592790415883947076] = (maximum_stage, maximum_pull,)

def maximum_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, maximum_pull, (out.dtype, out.shape, x1, x2,)
def maximum_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x2,) = residuals
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (NO_TANGENT, ZERO,)
    x2_bar = selected(out_bar, (where(x1 == x2, 0.5, x2 > x1)))
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (NO_TANGENT, x2_bar,)
FUNCTIONS[76271587075324830716732611613323562502] = (maximum_stage, maximum_pull,)

def minimum_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, minimum_pull, (out.dtype, out.shape, x1, x2,)
def minimum_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x2,) = residuals
    x1_shape = x1.shape
    x1_dtype = x1.dtype
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = selected(out_bar, (where(x1 == x2, 0.5, x1 < x2)))
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    x2_bar = selected(out_bar, (where(x1 == x2, 0.5, x2 < x1)))
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (x1_bar, x2_bar,)
FUNCTIONS[66148180820262035788459161779182611915] = (minimum_stage, minimum_pull,)

def minimum_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, minimum_pull, (out.dtype, out.shape, x1, x2,)
def minimum_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x2,) = residuals
    x1_shape = x1.shape
    x1_dtype = x1.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = selected(out_bar, (where(x1 == x2, 0.5, x1 < x2)))
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[36748967531980826282395303646365109316] = (minimum_stage, minimum_pull,)

def minimum_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, minimum_pull, (out.dtype, out.shape, x1, x2,)
def minimum_pull(residuals, out_bar):
    (out_dtype, out_shape, x1, x2,) = residuals
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (NO_TANGENT, ZERO,)
    x2_bar = selected(out_bar, (where(x1 == x2, 0.5, x2 < x1)))
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (NO_TANGENT, x2_bar,)
FUNCTIONS[76271588336785730748535124843804724742] = (minimum_stage, minimum_pull,)

def logaddexp_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, logaddexp_pull, (out, x1, x2,)
def logaddexp_pull(residuals, out_bar):
    (out, x1, x2,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    x1_shape = x1.shape
    x1_dtype = x1.dtype
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, ZERO,)
    x1_bar = out_bar * partial_0_0(x1, x2, out, xp=xp)
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    x2_bar = out_bar * partial_0_1(x1, x2, out, xp=xp)
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (x1_bar, x2_bar,)
FUNCTIONS[99787374609408242439120209395718190229] = (logaddexp_stage, logaddexp_pull,)

def logaddexp_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, logaddexp_pull, (out, x1, x2,)
def logaddexp_pull(residuals, out_bar):
    (out, x1, x2,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    x1_shape = x1.shape
    x1_dtype = x1.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (ZERO, NO_TANGENT,)
    x1_bar = out_bar * partial_0_0(x1, x2, out, xp=xp)
    if (x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype): x1_bar = fit(x1_bar, x1_shape, x1_dtype)
    return (x1_bar, NO_TANGENT,)
FUNCTIONS[158848772868751290086585100521336762418] = (logaddexp_stage, logaddexp_pull,)

def logaddexp_stage(x1, x2):
    out = primal(x1, x2)
    if out.dtype.kind == 'c':
        return conjugating(out, x1, x2)
    return out, logaddexp_pull, (out, x1, x2,)
def logaddexp_pull(residuals, out_bar):
    (out, x1, x2,) = residuals
    out_shape = out.shape
    out_dtype = out.dtype
    x2_shape = x2.shape
    x2_dtype = x2.dtype
    try:
        regular = out_bar.shape == out_shape and out_bar.dtype is out_dtype
    except AttributeError:
        regular = False
    if not regular:
        out_bar = admit(out_bar, out_shape, out_dtype, label)
        if out_bar is ZERO: return (NO_TANGENT, ZERO,)
    x2_bar = out_bar * partial_0_1(x1, x2, out, xp=xp)
    if (x2_bar.shape != x2_shape or x2_bar.dtype is not x2_dtype): x2_bar = fit(x2_bar, x2_shape, x2_dtype)
    return (NO_TANGENT, x2_bar,)
FUNCTIONS[143032106280236177134809562752762475184] = (logaddexp_stage, logaddexp_pull,)

def matmul_stage(x0, x1, **options):
    return primal(x0, x1, **options), matmul_pull, (x0, x1, options,)
def matmul_pull(residuals, y_bar):
    (x0, x1, options,) = residuals
    shape, dtype = x0.shape, x0.dtype
    x0_space = dense_space(class0, shape, dtype)
    x0_bar = adjoint0(y_bar, x0_space, x1, **options)
    if y_bar.size + x1.size > 8192: require_finite(x0_bar, y_bar, x1)
    if type(x0_bar) is not class0 or x0_bar.shape != shape or x0_bar.dtype is not dtype:
        x0_bar = project0(x0_space, x0_bar)
    shape, dtype = x1.shape, x1.dtype
    x1_space = dense_space(class1, shape, dtype)
    x1_bar = adjoint1(y_bar, x0, x1_space, **options)
    if y_bar.size + x0.size > 8192: require_finite(x1_bar, y_bar, x0)
    if type(x1_bar) is not class1 or x1_bar.shape != shape or x1_bar.dtype is not dtype:
        x1_bar = project1(x1_space, x1_bar)
    return (x0_bar, x1_bar,)
FUNCTIONS[132391929352414537992303372245176639075] = (matmul_stage, matmul_pull,)

def matmul_stage(x0, x1, **options):
    return primal(x0, x1, **options), matmul_pull, (x0.shape, x0.dtype, x1, options,)
def matmul_pull(residuals, y_bar):
    (x0_shape, x0_dtype, x1, options,) = residuals
    x0_space = dense_space(class0, x0_shape, x0_dtype)
    x0_bar = adjoint0(y_bar, x0_space, x1, **options)
    if y_bar.size + x1.size > 8192: require_finite(x0_bar, y_bar, x1)
    if type(x0_bar) is not class0 or x0_bar.shape != x0_shape or x0_bar.dtype is not x0_dtype:
        x0_bar = project0(x0_space, x0_bar)
    return (x0_bar, NO_TANGENT,)
FUNCTIONS[155695620143172337550816017692266980447] = (matmul_stage, matmul_pull,)

def matmul_stage(x0, x1, **options):
    return primal(x0, x1, **options), matmul_pull, (x0, x1.shape, x1.dtype, options,)
def matmul_pull(residuals, y_bar):
    (x0, x1_shape, x1_dtype, options,) = residuals
    x1_space = dense_space(class1, x1_shape, x1_dtype)
    x1_bar = adjoint1(y_bar, x0, x1_space, **options)
    if y_bar.size + x0.size > 8192: require_finite(x1_bar, y_bar, x0)
    if type(x1_bar) is not class1 or x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype:
        x1_bar = project1(x1_space, x1_bar)
    return (NO_TANGENT, x1_bar,)
FUNCTIONS[98467779951579587361530776709739089926] = (matmul_stage, matmul_pull,)

def matmul_stage(x0, x1, **options):
    return primal(x0, x1, **options), matmul_pull, (x0, x1, options,)
def matmul_pull(residuals, y_bar):
    (x0, x1, options,) = residuals
    shape, dtype = x0.shape, x0.dtype
    x0_space = dense_space(class0, shape, dtype)
    x0_bar = adjoint0(y_bar, x0_space, x1, **options)
    if type(x0_bar) is not class0 or x0_bar.shape != shape or x0_bar.dtype is not dtype:
        x0_bar = project0(x0_space, x0_bar)
    shape, dtype = x1.shape, x1.dtype
    x1_space = dense_space(class1, shape, dtype)
    x1_bar = adjoint1(y_bar, x0, x1_space, **options)
    if type(x1_bar) is not class1 or x1_bar.shape != shape or x1_bar.dtype is not dtype:
        x1_bar = project1(x1_space, x1_bar)
    return (x0_bar, x1_bar,)
FUNCTIONS[165095450218782287345241547827887981453] = (matmul_stage, matmul_pull,)

def matmul_stage(x0, x1, **options):
    return primal(x0, x1, **options), matmul_pull, (x0.shape, x0.dtype, x1, options,)
def matmul_pull(residuals, y_bar):
    (x0_shape, x0_dtype, x1, options,) = residuals
    x0_space = dense_space(class0, x0_shape, x0_dtype)
    x0_bar = adjoint0(y_bar, x0_space, x1, **options)
    if type(x0_bar) is not class0 or x0_bar.shape != x0_shape or x0_bar.dtype is not x0_dtype:
        x0_bar = project0(x0_space, x0_bar)
    return (x0_bar, NO_TANGENT,)
FUNCTIONS[1042107012270535844525468498521543359] = (matmul_stage, matmul_pull,)

def matmul_stage(x0, x1, **options):
    return primal(x0, x1, **options), matmul_pull, (x0, x1.shape, x1.dtype, options,)
def matmul_pull(residuals, y_bar):
    (x0, x1_shape, x1_dtype, options,) = residuals
    x1_space = dense_space(class1, x1_shape, x1_dtype)
    x1_bar = adjoint1(y_bar, x0, x1_space, **options)
    if type(x1_bar) is not class1 or x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype:
        x1_bar = project1(x1_space, x1_bar)
    return (NO_TANGENT, x1_bar,)
FUNCTIONS[110416775251700991365547339160074412789] = (matmul_stage, matmul_pull,)

def dot_stage(x0, x1, **options):
    return primal(x0, x1, **options), dot_pull, (x0, x1, options,)
def dot_pull(residuals, y_bar):
    (x0, x1, options,) = residuals
    shape, dtype = x0.shape, x0.dtype
    x0_space = dense_space(class0, shape, dtype)
    x0_bar = adjoint0(y_bar, x0_space, x1, **options)
    if y_bar.size + x1.size > 8192: require_finite(x0_bar, y_bar, x1)
    if type(x0_bar) is not class0 or x0_bar.shape != shape or x0_bar.dtype is not dtype:
        x0_bar = project0(x0_space, x0_bar)
    shape, dtype = x1.shape, x1.dtype
    x1_space = dense_space(class1, shape, dtype)
    x1_bar = adjoint1(y_bar, x0, x1_space, **options)
    if y_bar.size + x0.size > 8192: require_finite(x1_bar, y_bar, x0)
    if type(x1_bar) is not class1 or x1_bar.shape != shape or x1_bar.dtype is not dtype:
        x1_bar = project1(x1_space, x1_bar)
    return (x0_bar, x1_bar,)
FUNCTIONS[76039755182725811811602970691830908906] = (dot_stage, dot_pull,)

def dot_stage(x0, x1, **options):
    return primal(x0, x1, **options), dot_pull, (x0.shape, x0.dtype, x1, options,)
def dot_pull(residuals, y_bar):
    (x0_shape, x0_dtype, x1, options,) = residuals
    x0_space = dense_space(class0, x0_shape, x0_dtype)
    x0_bar = adjoint0(y_bar, x0_space, x1, **options)
    if y_bar.size + x1.size > 8192: require_finite(x0_bar, y_bar, x1)
    if type(x0_bar) is not class0 or x0_bar.shape != x0_shape or x0_bar.dtype is not x0_dtype:
        x0_bar = project0(x0_space, x0_bar)
    return (x0_bar, NO_TANGENT,)
FUNCTIONS[30893264057497336549089333373244286007] = (dot_stage, dot_pull,)

def dot_stage(x0, x1, **options):
    return primal(x0, x1, **options), dot_pull, (x0, x1.shape, x1.dtype, options,)
def dot_pull(residuals, y_bar):
    (x0, x1_shape, x1_dtype, options,) = residuals
    x1_space = dense_space(class1, x1_shape, x1_dtype)
    x1_bar = adjoint1(y_bar, x0, x1_space, **options)
    if y_bar.size + x0.size > 8192: require_finite(x1_bar, y_bar, x0)
    if type(x1_bar) is not class1 or x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype:
        x1_bar = project1(x1_space, x1_bar)
    return (NO_TANGENT, x1_bar,)
FUNCTIONS[101874667755533633953978636503721475968] = (dot_stage, dot_pull,)

def dot_stage(x0, x1, **options):
    return primal(x0, x1, **options), dot_pull, (x0, x1, options,)
def dot_pull(residuals, y_bar):
    (x0, x1, options,) = residuals
    shape, dtype = x0.shape, x0.dtype
    x0_space = dense_space(class0, shape, dtype)
    x0_bar = adjoint0(y_bar, x0_space, x1, **options)
    if type(x0_bar) is not class0 or x0_bar.shape != shape or x0_bar.dtype is not dtype:
        x0_bar = project0(x0_space, x0_bar)
    shape, dtype = x1.shape, x1.dtype
    x1_space = dense_space(class1, shape, dtype)
    x1_bar = adjoint1(y_bar, x0, x1_space, **options)
    if type(x1_bar) is not class1 or x1_bar.shape != shape or x1_bar.dtype is not dtype:
        x1_bar = project1(x1_space, x1_bar)
    return (x0_bar, x1_bar,)
FUNCTIONS[46776370675014812955316862627159826053] = (dot_stage, dot_pull,)

def dot_stage(x0, x1, **options):
    return primal(x0, x1, **options), dot_pull, (x0.shape, x0.dtype, x1, options,)
def dot_pull(residuals, y_bar):
    (x0_shape, x0_dtype, x1, options,) = residuals
    x0_space = dense_space(class0, x0_shape, x0_dtype)
    x0_bar = adjoint0(y_bar, x0_space, x1, **options)
    if type(x0_bar) is not class0 or x0_bar.shape != x0_shape or x0_bar.dtype is not x0_dtype:
        x0_bar = project0(x0_space, x0_bar)
    return (x0_bar, NO_TANGENT,)
FUNCTIONS[42346699088473773257943865538833849771] = (dot_stage, dot_pull,)

def dot_stage(x0, x1, **options):
    return primal(x0, x1, **options), dot_pull, (x0, x1.shape, x1.dtype, options,)
def dot_pull(residuals, y_bar):
    (x0, x1_shape, x1_dtype, options,) = residuals
    x1_space = dense_space(class1, x1_shape, x1_dtype)
    x1_bar = adjoint1(y_bar, x0, x1_space, **options)
    if type(x1_bar) is not class1 or x1_bar.shape != x1_shape or x1_bar.dtype is not x1_dtype:
        x1_bar = project1(x1_space, x1_bar)
    return (NO_TANGENT, x1_bar,)
FUNCTIONS[135397343586942470045588660170312229356] = (dot_stage, dot_pull,)

def getitem_stage(x0, x1, **options):
    return primal(x0, x1, **options), getitem_pull, (x0.shape, x0.dtype, x1, options,)
def getitem_pull(residuals, y_bar):
    (x0_shape, x0_dtype, x1, options,) = residuals
    x0_space = dense_space(class0, x0_shape, x0_dtype)
    x0_bar = adjoint0(y_bar, x0_space, x1, **options)
    if type(x0_bar) is not class0 or x0_bar.shape != x0_shape or x0_bar.dtype is not x0_dtype:
        x0_bar = project0(x0_space, x0_bar)
    return (x0_bar, NO_TANGENT,)
FUNCTIONS[62299798288507715639376426941208791222] = (getitem_stage, getitem_pull,)
