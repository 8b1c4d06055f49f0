"""The work of commands about sessions."""
