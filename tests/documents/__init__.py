"""Checks of what people read and edit by hand: Markdown documents and templates of pages.

`python -m tests.documents` prints each fault with its file and line; `make check` runs it.
"""
