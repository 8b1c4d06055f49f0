"""The work of commands about trials of guidelines."""
