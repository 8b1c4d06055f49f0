"""What is shown of runs while they go."""
