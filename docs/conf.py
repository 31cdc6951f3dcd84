"""How Sphinx makes the site. `make site` stages the pages, see `tools.website`, and calls it."""

from simlib import __version__
from tools.website import address

project = "simlib"
author = "The simlib authors"
copyright = author
release = __version__
html_title = "simlib"
html_baseurl = address()

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autosummary", "sphinx_design"]

# Pages and notebooks. Notebooks were executed before: nothing is executed again.
exclude_patterns = ["notebooks/teaching/download"]  # files that pages offer, no pages
nb_execution_mode = "off"
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"
nb_ipywidgets_js = {}  # nothing is fetched from elsewhere
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 4

# The reference.
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say them
numpydoc_show_class_members = False

# How it looks.
html_theme = "pydata_sphinx_theme"
html_static_path = ["docs/_static"]
html_css_files = ["simlib.css"]
html_copy_source = False
html_show_sphinx = False
html_sidebars = {"index": []}
html_theme_options = {
    "logo": {"text": "simlib", "alt_text": "simlib: to the first page"},
    "header_links_before_dropdown": 5,
    "navbar_align": "left",
    "navigation_with_keys": True,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
