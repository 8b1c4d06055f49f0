"""Results from other publishers, read as records: `leaderboard import`."""
