"""The work of commands about runs."""
