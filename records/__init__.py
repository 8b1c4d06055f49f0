"""The ground floor: everything in data/ is read and written by this package."""
