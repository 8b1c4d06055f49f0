"""Grading by the workers of a Dask cluster: other processes, or other machines."""
