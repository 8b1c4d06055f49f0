"""Who is to blame when a grader and a deployment do not understand each other."""

import pytest

from runner.backends.client import ForeignAddressError
from runner.errors import GraderMistakeError
from runner.grader.failures import ForeignAddress
from runner.grader.speaking import speaking


def test_a_foreign_url_is_the_answers_failure() -> None:
    """An answer cannot turn its failure into a fault of ours by giving out somebody's URL."""
    with pytest.raises(ForeignAddress), speaking("GET http://elsewhere.test/"):
        raise ForeignAddressError("http://elsewhere.test/ is no address of this deployment")


def test_what_cannot_be_sent_is_the_graders_mistake() -> None:
    """A value that Convex does not know is our own fault, never the model's."""
    with pytest.raises(GraderMistakeError), speaking("mutation notes:add"):
        raise TypeError("set is not a Convex value")
