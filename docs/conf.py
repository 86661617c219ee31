"""Settings of the site, `make docs`: Markdown by MyST, docstrings by autodoc, and nothing loaded
from a network.
"""

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_site"))

from absent import stand_in_for_absent  # noqa: E402
from chainrules_py.version import __version__ as release  # noqa: E402

project = "chainrules-py"
author = "the chainrules-py authors"
copyright = author
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "formulas",  # these are ours, in _site
    "rule_pages",
    "in_browser",
    "api_names",
    "speed_history",
]
root_doc = "index"
exclude_patterns = ["_build", "_site"]
nitpicky = True
# annotations name private classes, and other libraries' manuals need a network
nitpick_ignore_regex = [("py:.*", r".*")]

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
highlight_language = "text"  # of listings that say nothing
default_role = "code"  # one backtick in a docstring is code, as in Markdown
settings = tomllib.loads((HERE.parent / "pyproject.toml").read_text("utf-8"))
adapters = settings["tool"]["mypy"]["overrides"][0]["module"]
stand_in_for_absent([*(name.removesuffix(".*") for name in adapters), "cupy", "cupyx"])
autodoc_typehints = "none"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
add_module_names = False
python_use_unqualified_type_names = True
toc_object_entries = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"chainrules-py {release}"
html_static_path = ["_static"]
html_extra_path = ["llms.txt"]  # for readers that are machines
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
pygments_style = "friendly"
pygments_dark_style = "github-dark"
html_theme_options = {
    "navigation_with_keys": False,
    "light_css_variables": {"color-brand-primary": "#0b6e75", "color-brand-content": "#0b6e75"},
    "dark_css_variables": {"color-brand-primary": "#5cc8cf", "color-brand-content": "#5cc8cf"},
}
