"""Reads what a build is made from, and sums records up."""
