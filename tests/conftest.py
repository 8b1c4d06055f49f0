"""What all tests share."""

from hypothesis import settings

# Examples are timed by the machine's load as much as by the code: speed is measured elsewhere.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")
