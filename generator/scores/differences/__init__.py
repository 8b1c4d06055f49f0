"""Tests of differences: of two sides, of all pairs of a leaderboard; and their power."""
