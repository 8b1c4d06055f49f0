"""Snapshots of the published results, as files that other programs load."""
