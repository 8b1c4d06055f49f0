"""Files below ``data/``: their paths, their safe opening, and the limits of their contents."""
