"""The sending of runs to a central server, with their own journals and records as the buffer."""
