"""Pages of the desk, one module for each: they read a request and answer with HTML."""
