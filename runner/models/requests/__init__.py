"""One request to a model, from the call to what the network brought."""
