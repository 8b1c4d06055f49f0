"""The grading worker, the process that runs graders in Python, and its protocol."""
