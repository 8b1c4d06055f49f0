# canary: plain-python cf6a809e-a1da-45dd-8b8a-dce598cad2ea
"""Words are counted, as other programs need it."""

from answer import Ran, run


def count(text: str) -> Ran:
    """Run the program of the answer over a text."""
    return run(["python3", "words.py"], stdin=text)


def test_words_are_counted_without_regard_to_case() -> None:
    """Upper and lower case are the same word."""
    assert count("The cat the dog\nTHE end").stdout.splitlines()[0] == "the 3"


def test_the_most_frequent_word_comes_first() -> None:
    """Equal numbers are in the order of the alphabet."""
    assert count("b a c b a d").stdout == "a 2\nb 2\nc 1\nd 1\n"


def test_no_words_are_no_success() -> None:
    """Without a word nothing is printed, and the status is 1."""
    ended = count(" \n")
    assert (ended.stdout, ended.status) == ("", 1)


def test_success_has_the_status_0() -> None:
    """With words the status is 0."""
    assert count("word").status == 0
