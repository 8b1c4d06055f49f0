"""The decision whether the answer or the machinery is at fault where grading broke."""
