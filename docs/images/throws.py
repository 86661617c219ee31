"""Draw the picture of the README: the throws of its first example, ``python
docs/images/throws.py``.

The program is read from the README, so that picture and text cannot differ.
"""

import re
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

HERE = Path(__file__).parent
README = HERE.parents[1] / "README.md"
GREY = "#808080"  # is read on white and on black


def program() -> dict[str, Any]:
    """Run the first example of the README; what it defines."""
    names: dict[str, Any] = {}
    code = re.search(
        r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert code is not None
    exec(code[1], names)
    return names


def draw(names: dict[str, Any]) -> plt.Figure:
    """Draw the path of each throw, the later the darker."""
    plt.rcParams.update(
        dict.fromkeys(
            ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), GREY
        )
    )
    figure, axes = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    throws = names["throws"]
    for k, throw in enumerate(throws):
        path = np.array(names["flight"](throw))
        last = k == len(throws) - 1
        colour = "#d9541e" if last else plt.get_cmap("GnBu")(0.35 + 0.5 * k / len(throws))
        label = {0: "first throw", len(throws) - 1: f"after {k} steps against the gradient"}.get(k)
        axes.plot(*path.T, color=colour, linewidth=2.4 if last else 1.4, label=label)
    axes.plot(
        *names["hoop"],
        "o",
        markersize=9,
        markerfacecolor="none",
        markeredgecolor=GREY,
        markeredgewidth=2,
    )
    axes.annotate("hoop", names["hoop"], (8, 8), textcoords="offset points")
    axes.set(
        xlabel="distance (m)",
        ylabel="height (m)",
        xlim=(-0.1, 4.9),
        ylim=(0.9, 4.6),
        aspect="equal",
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper left")
    return figure


if __name__ == "__main__":
    draw(program()).savefig(HERE / "throws.png", dpi=140, transparent=True)
