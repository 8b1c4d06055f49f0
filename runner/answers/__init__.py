"""What a model is told, and how its reply becomes files."""
