"""One module for each subcommand; leaderboard.cli imports them when they are called."""
