"""The kinds of jail: bubblewrap, Docker, and none."""
