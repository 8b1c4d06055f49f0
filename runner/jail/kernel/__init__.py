"""The parts of Linux that jails are made of."""
