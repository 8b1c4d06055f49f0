"""Lets `python -m leaderboard` be the command where nothing is installed, as on a build server."""

from leaderboard.cli import main

if __name__ == "__main__":
    main()
