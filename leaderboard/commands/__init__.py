"""The subcommands, each in its own module, which leaderboard.cli imports when it is called."""
