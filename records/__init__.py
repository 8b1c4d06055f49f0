"""What data/ holds, read and written in one place: the ground floor."""
