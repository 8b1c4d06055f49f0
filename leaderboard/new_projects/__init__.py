"""New projects: the files of `leaderboard init`."""
