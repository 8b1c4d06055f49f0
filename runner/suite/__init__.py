"""Tools for authors of evals, one module for each `leaderboard suite` command."""
