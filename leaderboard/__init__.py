"""The front door: the `leaderboard` command."""
