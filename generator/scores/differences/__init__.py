"""Tests of differences: two sides, the pairs of a board, and the power of a comparison."""
