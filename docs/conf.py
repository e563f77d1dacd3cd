# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Sphinx's configuration. The sources are put together by docs/build.py, which starts Sphinx."""

import os
from pathlib import Path

import ranvier

project = "Ranvier"
author = "The Ranvier authors"
copyright = "2026 The Ranvier authors"
version = release = ranvier.__version__

extensions = [
    "myst_parser",
    "breathe",
    "sphinx.ext.autodoc",
    "sphinx_click",
    "sphinx_copybutton",
]
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 4
myst_all_links_external = False
suppress_warnings = [
    "myst.header",  # sections of an included file may begin at any level
    "duplicate_declaration.c",  # in C a function may have the name of a struct
]
highlight_language = "text"
smartquotes = False  # options begin with two hyphens
exclude_patterns = ["_files"]

breathe_projects = {
    folder.name: str(folder / "xml")
    for folder in Path(os.environ.get("RANVIER_DOXYGEN", "xml")).glob("*")
}
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
breathe_default_members = ("members", "undoc-members")

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
python_maximum_signature_line_length = 80

copybutton_prompt_text = r"\$ |uart:~\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

# Everything that a page loads is part of the site: it can be read from a disk, without a network.
html_theme = "furo"
html_title = "Ranvier"
html_static_path = ["_static"]
html_css_files = ["ranvier.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "sidebar_hide_name": False,
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#0b6e69", "color-brand-content": "#0b6e69"},
    "dark_css_variables": {"color-brand-primary": "#4fc3b9", "color-brand-content": "#4fc3b9"},
}
pygments_style = "friendly"
pygments_dark_style = "monokai"
