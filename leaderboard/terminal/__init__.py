"""Input and output of commands in a terminal."""
