"""The process that runs graders, and its protocol."""
