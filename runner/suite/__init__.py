"""What the authors of evals do, one module for each `leaderboard suite` command."""
