"""The Convex emulator: its Node programs, and the backend that runs them in jails."""
