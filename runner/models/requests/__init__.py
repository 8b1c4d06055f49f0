"""One request to a model, from the call to the data on the network."""
