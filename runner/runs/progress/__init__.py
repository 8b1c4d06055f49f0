"""Progress of runs, as a live view on terminals and as plain lines elsewhere."""
