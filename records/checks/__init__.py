"""Checks of `leaderboard check`: one module for each kind of record."""
