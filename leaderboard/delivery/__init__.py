"""The sending of runs to a central server: the run's own journal and record are the buffer."""
