"""The Convex emulator: its Node programs, and the backend that starts them in jails."""
