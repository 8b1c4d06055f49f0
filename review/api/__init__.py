"""What other machines may ask for over HTTP, with a key."""
