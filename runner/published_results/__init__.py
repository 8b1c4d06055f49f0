"""Imports of results from other publishers, as records: `leaderboard import`."""
