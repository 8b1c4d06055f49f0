"""What a grader sees."""
