# canary: plain-python cf6a809e-a1da-45dd-8b8a-dce598cad2ea
"""Counts the words of standard input."""

import sys
from collections import Counter

counts = Counter(sys.stdin.read().lower().split())
for word, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
    print(word, number)
sys.exit(0 if counts else 1)
