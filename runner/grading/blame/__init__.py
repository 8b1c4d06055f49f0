"""The decision whether the answer or the machinery is at fault when grading breaks."""
