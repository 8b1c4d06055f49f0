"""Readers of the sources of a build, and summaries of records."""
