"""The parts of Linux that jails use."""
