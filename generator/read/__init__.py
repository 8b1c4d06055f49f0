"""Reads the sources of a build, and sums records up."""
