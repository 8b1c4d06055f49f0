"""Blocks: parts of pages, one module for each."""
