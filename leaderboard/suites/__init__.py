"""The work of commands about suites."""
