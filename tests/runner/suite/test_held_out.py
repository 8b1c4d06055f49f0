"""Guidelines may not be written because of a held-out eval: shared words and names are refused."""

from hashlib import sha256
from pathlib import Path

import pytest

from runner.errors import InvalidEvalError
from runner.evals.discovery import discover
from runner.suite import held_out
from tests.runner.small_suite import GUIDELINES

pytestmark = pytest.mark.unit

PONDS = "000-fundamentals/000-ponds"
TASK = "Drain each pond at its own hour, and count `herons` with `countHerons`.\n"


@pytest.fixture
def root(root: Path) -> Path:
    """Return a suite with a held-out eval, and the guidelines from before it."""
    (root / PONDS / "TASK.txt").write_text(TASK)
    with (root / PONDS / "eval.toml").open("a") as config:
        config.write("held_out = true\n")
    freeze(root, GUIDELINES)
    return root


def freeze(root: Path, text: str) -> None:
    """Write the frozen guidelines and their digest."""
    (root / held_out.FROZEN).write_text(text)
    digest = sha256(text.encode()).hexdigest()
    (root / held_out.FROZEN_DIGEST).write_text(f"{digest}  {held_out.FROZEN}\n")


def list_faults(root: Path, added: str) -> list[str]:
    """Return the faults of the guidelines with a sentence more."""
    (root / "guidelines.md").write_text(f"{GUIDELINES}\n{added}\n")
    return [*held_out.find_changes_for_held_out(discover(root))]


@pytest.mark.parametrize(
    ("added", "shared"),
    [
        ("Index what you read.", []),
        ("Never drain each pond at its hour.", ["drain each pond at its"]),
        ("Drain each pond, at its end.", ["drain each pond at its"]),
        ("You drain each pond at once.", []),
        ("A query like countHerons is cheap.", ["countHerons"]),
        ("Many `herons` are a table.", ["herons"]),
        ("Many herons are a table.", []),
        ("Use `v.id` in `internalMutation`.", ["internalMutation"]),
    ],
)
def test_five_words_in_a_row_or_a_name_are_refused(
    root: Path, added: str, shared: list[str]
) -> None:
    """Four words are not, nor a plain word that is a name only there; the reference counts, too."""
    faults = list_faults(root, added)
    assert [fault.partition("“")[2].partition("”")[0] for fault in faults] == shared
    assert all(PONDS in fault for fault in faults)


def test_what_the_frozen_text_had_is_allowed(root: Path) -> None:
    """Words that were there before the eval say nothing about it."""
    freeze(root, f"{GUIDELINES}\nDrain each pond at its own hour.\n")
    assert list_faults(root, "Drain each pond at its own hour.") == []


def test_evals_that_are_not_held_out_may_be_written_about(root: Path) -> None:
    """Then no frozen text is needed either."""
    path = root / PONDS / "eval.toml"
    path.write_text(path.read_text().replace("held_out = true\n", ""))
    (root / held_out.FROZEN).unlink()
    assert list_faults(root, "Drain each pond at its own hour.") == []


def test_the_frozen_text_must_be_the_recorded_one(root: Path) -> None:
    """Another text, or none, is a fault as soon as an eval is held out."""
    (root / held_out.FROZEN).write_text("Another text.")
    (fault, *_) = list_faults(root, "")
    assert held_out.FROZEN_DIGEST in fault
    (root / held_out.FROZEN).unlink()
    (fault,) = list_faults(root, "")
    assert "need the text from before them" in fault


def test_a_change_is_refused_before_models_are_asked(root: Path) -> None:
    """It is compared with the text before the change, and the message names the eval."""
    (root / "guidelines.md").write_text(f"{GUIDELINES}\nCall countHerons.\n")
    with pytest.raises(InvalidEvalError, match=f"shares “countHerons” with {PONDS}"):
        held_out.refuse_shared_texts(GUIDELINES, discover(root))
    held_out.refuse_shared_texts((root / "guidelines.md").read_text(), discover(root))


def test_the_suite_has_the_text_from_before_its_held_out_evals() -> None:
    """The digest is that of the frozen guidelines, whether evals are held out yet or not."""
    evals = Path(__file__).parents[3] / "evals"
    recorded = (evals / held_out.FROZEN_DIGEST).read_text().split()[0]
    assert sha256((evals / held_out.FROZEN).read_bytes()).hexdigest() == recorded
