"""The process that runs graders, and the protocol by which it is asked."""
