"""The journal of a run: its lines, its writer, its reader and its repair."""
