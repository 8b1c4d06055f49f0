"""Results that others published, read as records: `leaderboard import`."""
