"""The kinds of jail, each a way to start a program."""
