"""The work of commands about failure reports."""
