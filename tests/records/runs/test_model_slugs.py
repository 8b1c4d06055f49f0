"""Slugs of models, and the folders that they had in earlier versions."""

import re
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.checks.check_data import check_data
from records.errors import RunInUseError
from records.files.data_folder import DataFolder, move_former_folders
from records.files.name_patterns import MODEL_SLUG
from records.journal.entries import Opened
from records.runs.model_slugs import make_model_slug
from records.runs.run_lookup import find_run
from records.writer import write_run
from tests.records import examples

pytestmark = pytest.mark.unit
LETTERS = st.sampled_from("ab/-.:@_ \u212a\u6a21\u578b\U0001f600\n")
WORDS = st.text(LETTERS, min_size=1, max_size=4).filter(str.strip)
MODELS = st.tuples(
    st.one_of(WORDS, st.sampled_from(["not-named/a", "a/model", "model", "a/b-high"]), st.text()),
    st.one_of(st.none(), WORDS, st.just("high")),
)


def make_slug(model: str, variant: str | None) -> str:
    """Return the slug of a model that a name with slashes names."""
    provider, _, name = model.rpartition("/")
    return make_model_slug(model, provider, name, variant)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("openai/gpt-high", None), ("openai/gpt", "high")),
        (("gpt", None), ("not-named/gpt", None)),
        (("openai/k", None), ("openai/\u212a", None)),
        (("/model", None), ("model", None)),
        (("openai/\u6a21\u578b\u7532", None), ("openai/\u6a21\u578b\u4e59", None)),
        (("acme@1", None), ("acme-1", None)),
        (("openrouter/maker/base", None), ("openrouter/maker-base", None)),
        (("a:b/c", None), ("a-b/c", None)),
        (("acme/base.", None), ("acme/base", None)),
    ],
)
def test_names_that_look_alike_stay_apart(
    first: tuple[str, str | None], second: tuple[str, str | None]
) -> None:
    """A model and a variant of another model never share a page."""
    assert make_slug(*first) != make_slug(*second)


@pytest.mark.parametrize(
    ("model", "slug"),
    [
        ("openai/gpt-6", "openai/gpt-6"),
        ("Qwen/Qwen3-8B", "qwen/qwen3-8b"),
        ("qwen3:8b", "not-named/qwen3:8b"),
        ("anthropic/claude-20241022", "anthropic/claude-20241022"),
    ],
)
def test_plain_names_keep_their_form(model: str, slug: str) -> None:
    """An address without a digest can be read and typed."""
    assert make_slug(model, None) == slug


def test_a_name_that_ends_like_a_digest_gets_one_itself() -> None:
    """Nobody can give a model the slug of another by writing the digest of the other."""
    slug = make_slug("openai/gpt", "high")
    assert make_slug(slug, None) != slug


@given(st.sets(MODELS, min_size=2, max_size=6))
def test_different_models_have_different_slugs(models: set[tuple[str, str | None]]) -> None:
    """Names that differ in more than capitals are never one row of a board."""
    slugs = {model: make_slug(*model) for model in models}
    assert all(re.fullmatch(MODEL_SLUG, slug) for slug in slugs.values())
    for first, second in combinations(models, 2):
        if tuple(map(_lower_text, first)) != tuple(map(_lower_text, second)):
            assert slugs[first] != slugs[second]


def _lower_text(text: str | None) -> str | None:
    return text and (text.lower() if text.isascii() else text)


SLUG = "maker/model:free"


def write_former(folder: DataFolder, run_id: str) -> Path:
    """Write a run where earlier programs wrote it, and return its record."""
    former = folder.root / "runs" / SLUG
    former.mkdir(parents=True, exist_ok=True)
    path = write_run(folder, examples.with_model(examples.make_run(run_id), slug=SLUG))
    return path.rename(former / path.name)


def test_a_run_is_read_and_written_at_its_former_path(tmp_path: Path) -> None:
    """Until it is moved, all its files stay together; other runs of the model get the new path."""
    folder = DataFolder(tmp_path)
    run_id = "a" * 32
    path = write_former(folder, run_id)
    assert find_run(folder, run_id).slug == SLUG
    assert folder.get_run_file(SLUG, run_id) == path
    assert folder.get_journal_file(SLUG, run_id).parent == path.parent
    assert folder.get_run_file(SLUG, "b" * 32).parent.name == "model~free"
    assert list(folder.list_model_run_files(SLUG)) == [path]


def test_former_folders_are_named_and_moved(tmp_path: Path) -> None:
    """`leaderboard check` has the command, after which nothing is left at the former path."""
    folder = DataFolder(tmp_path)
    run_id = "a" * 32
    path = write_former(folder, run_id)
    assert [problem for problem in check_data(folder) if "repair --names" in problem.reason]
    content = path.read_bytes()
    assert move_former_folders(folder) == [(path.parent, path.parent.with_name("model~free"))]
    assert folder.get_run_file(SLUG, run_id).read_bytes() == content
    assert not [path for path in tmp_path.rglob("*") if ":" in path.name]
    assert not [problem for problem in check_data(folder) if "repair --names" in problem.reason]
    assert move_former_folders(folder) == []


def test_a_run_under_way_and_another_file_are_left(tmp_path: Path) -> None:
    """A journal must not move under its writer, and no record is replaced."""
    folder = DataFolder(tmp_path)
    path = write_former(folder, "a" * 32)
    journal = folder.get_journal_file(SLUG, "a" * 32)
    plan = Opened(run=examples.make_run(planned_only=True))
    with examples.create_journal(journal, plan), pytest.raises(RunInUseError, match="under way"):
        move_former_folders(folder)
    journal.unlink()
    other = path.parent.with_name("model~free") / path.name
    other.parent.mkdir(exist_ok=True)
    other.write_text("another")
    with pytest.raises(FileExistsError, match="delete one"):
        move_former_folders(folder)
    assert other.read_text() == "another"
