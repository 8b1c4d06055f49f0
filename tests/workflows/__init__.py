"""The workflows of GitHub, read and run on this machine."""
