"""The command as `python -m leaderboard`, for machines without the installed program."""

from leaderboard.cli import main

if __name__ == "__main__":
    main()
