"""What commands say in a line of what they are asked, and their exit status."""

import shlex

import pytest

from chainrules_command.entry import COMMANDS

LOSS = "MODEL:loss float64[3] float64[2,3]"
SAID = [
    ("zzz", 2, *COMMANDS),
    ("explian numpy.sin", 2, "did you mean explain?"),
    ("explain numpy.matmull", 2, "did you mean numpy.matmul?"),
    ("explain math.floor str", 1, "no rule"),
    ("explain scipy.linalg.ldl", 1),
    ("explain MODEL:loss", 0, "needs none"),
    ("explain numpy.divide", 0, "dy/dx1 = 1 / x2", "dy/dx2 = -y / x2"),
    ("explain numpy.sum", 0, "batched: reduces at "),
    ("explain numpy.matmul", 0, "batched: contracts at "),
    ("explain scipy.signal.cspline1d", 0, "batched: a loop, one call per lane"),
    ("rules numpy.arctan2", 0, "numpy.arctan2", "rrule, frule", "elementwise.py:"),
    ("rules numpy.arctan2", 0, "\n1 functions, 2 rules\n"),
    ("rules numpy.argmax", 0, "no derivative"),
    ("rules numpy.matmull", 1, "did you mean numpy.matmul"),
    ("rules matmull", 1, "did you mean matmul"),
    ("rules numpy.matmull --json", 1, "[]"),
    ("rules --packs of_no_name", 0, "no other distribution declares a pack for of_no_name\n"),
    ("coverage numpy.require", 0, "no rule yet", "demands on the memory"),
    ("coverage numpy.nothing_like_it", 1),
    ("show MODEL:norm \"{'w': [1.0, 2.0]}\"", 0, "p['w']"),
    ("show MODEL:loss 1.0", 2, "loss(x, w)"),
    ("show MODEL:losss", 2, "did you mean a_model:loss?"),
    ("show MODEL:nope", 2, "it has a_model:"),
    ("show MODEL:constant", 2, "it is a float"),
    ("show MODEL:loss 1.0 2.0 --limit 1", 0, "2 operations left out"),
    ("show MODEL:loss 1.0 2.0 --limit 0", 0, "return v3"),
    ("show numpy.sin datetime64[3]", 2),
    (f"show {LOSS} --compiled", 0, "def value_and_grad(x, w):"),
    (
        f"compile {LOSS}",
        2,
        "chainrules: -o: there is no file to write to; write -o gradient.py; chainrules show prints",
    ),
    (f"compile {LOSS} -o /absent/file.py", 2, "a folder that exists"),
    ("draw numpy:sinh float64[3]", 0, "flowchart TD\n", "keeps 24 B"),
    ("draw numpy.sinh 0.5 --json", 0, '"operations": 1', '"flowchart TD\\n'),
    *((f"try MODEL:{name}", 2, "real number") for name in ("alone", "nothing 2.0", "text 2.0")),
    ("try MODEL:norm None", 2),
    ("try numpy.sin 2.0 --see no_such_package", 2),
    ("try strangers.decisions.nearest_image 0.7", 0, "right"),
    ("try numpy:linalg.norm float64[3]", 0, "right"),
    ("try strangers.nothing 1.0", 2, "strangers"),
    ("try no_such_package.f 1.0", 2, "no_such_package"),
    ("try f 1.0", 2, "f"),
    ("try math.sin 1.0", 0, "right"),
    ("try scipy.linalg.expm float64[2,2]", 0, "right"),
    ("try scipy.signal.savgol_filter float64[9] 5 2", 0, "right"),  # integers stay integers
    ("try scipy.stats.norm.cdf 0.5", 0, "right"),
    ("try numpy.asarray '[1.5, 2.5]'", 0, "right"),
    ("try numpy.sin 2", 2),
    ("try numpy.sin 1j", 2),
    ("try numpy.sin \"{'a': 1j}\"", 2),
    *((f"check '{name}'", 2) for name in ("", ".", "..", "numpy..sin", "json")),
]


@pytest.mark.parametrize(("words", "status", "texts"), [(w, s, t) for w, s, *t in SAID])
def test_what_is_said(run, model, words, status, texts):
    done = run(*(word.replace("MODEL", model) for word in shlex.split(words)))
    assert done.status == status, done.out + done.err
    said = done.err if status == 2 else done.out
    assert [text for text in texts if text not in said] == []
    assert "Traceback" not in done.err
    assert done.out == "" or status != 2
