"""A project's own words on its pages: settings, method, and the canary of its suite."""

from pathlib import Path

import pytest

from generator.errors import GeneratorError, SourceChangedError
from generator.phases import Phases
from generator.read.site_settings import SiteSettings, read_settings
from generator.read.suite_texts import read_canary
from generator.render.templates import SharedValues, Templates, make_environment
from generator.sources import Sources, find_inputs
from leaderboard.project import ProjectFolder
from records.files.data_folder import DataFolder
from records.suites.canary import LINE
from records.text.markdown import list_anchors
from tests.runner.command_suite import CANARY, write_command_suite

pytestmark = pytest.mark.unit

TEMPLATES = Path(__file__).parents[3] / "site_templates"
SETTINGS = 'title = "Board"\ntagline = "Ours"\naddress = "https://board.example"\n'


def test_pages_name_the_subject_of_answers() -> None:
    """With a subject its name stands before the nouns; without it the nouns stand alone."""
    fields = {"title": "T", "tagline": "t", "address": "https://board.example"}
    plain = SiteSettings.model_validate(fields)
    named = SiteSettings.model_validate(fields | {"subject": "Rust"})
    assert (plain.code, plain.guidelines_named, plain.evals_named) == (
        "code",
        "guidelines",
        "evals",
    )
    assert (named.code, named.guidelines_named, named.evals_named) == (
        "Rust code",
        "Rust guidelines",
        "Rust evals",
    )


def test_an_address_of_no_licence_is_refused(tmp_path: Path) -> None:
    """The message names the field that is missing, and a licence is an identifier, no sentence."""
    file = tmp_path / "site.toml"
    file.write_text(f'{SETTINGS}licence_address = "https://licence.example"\n')
    with pytest.raises(GeneratorError, match="licence: is missing"):
        read_settings(tmp_path)
    file.write_text(f'{SETTINGS}licence = "do as you like"\n')
    with pytest.raises(GeneratorError, match="licence: "):
        read_settings(tmp_path)


def test_texts_of_a_project_stand_apart_from_the_templates(tmp_path: Path) -> None:
    """Settings and method are read from the project's folder, and a change of them is noticed."""
    texts, templates = tmp_path / "site_texts", tmp_path / "templates"
    for folder in (texts, templates, tmp_path / "data", tmp_path / "evals"):
        folder.mkdir()
    (texts / "site.toml").write_text(SETTINGS)
    (texts / "method.md").write_text("How we judge.\n")
    data = DataFolder(tmp_path / "data")
    sources = Sources(data, templates, tmp_path / "evals", local=False, texts=texts)
    assert read_settings(sources.settings_folder).title == "Board"
    assert sources.method == texts / "method.md"
    inputs = find_inputs(sources)
    assert {str(texts / "site.toml"), str(texts / "method.md")} <= inputs.rest.keys()
    (texts / "site.toml").write_text(f"{SETTINGS}\n")
    with pytest.raises(SourceChangedError, match=r"site\.toml: changed during the build"):
        inputs.check_unchanged()


def test_a_preview_takes_changed_settings(tmp_path: Path) -> None:
    """Templates that are kept in memory are read again when texts apart from them change."""
    texts, data = tmp_path / "site_texts", DataFolder(tmp_path / "data")
    for folder in (texts, data.root):
        folder.mkdir()
    sources = Sources(data, TEMPLATES, tmp_path / "evals", local=False, texts=texts)
    phases, titles = Phases(sources, tmp_path / "built"), list[str]()
    for title in ("Board", "Second board"):
        (texts / "site.toml").write_text(SETTINGS.replace("Board", title))
        titles.append(phases.begin(find_inputs(sources)).basics.settings.title)
    assert titles == ["Board", "Second board"]


def test_pages_link_to_sections_that_the_method_has(tmp_path: Path) -> None:
    """A method without a section is linked as a whole, and changed sections change the pages."""

    def share_anchors(text: str) -> SharedValues:
        return SharedValues(method=tuple(list_anchors(text)))

    page = "{{ 'about/#text-ranks' | at_method }}"
    (tmp_path / "page.html").write_text(page)
    addresses = {
        text: make_environment(tmp_path, shared=share_anchors(text)).from_string(page).render()
        for text in ("How we judge.\n", "# Method\n\n## Ranks\n\nBy score.\n")
    }
    assert [*addresses.values()] == ["about/", "about/#text-ranks"]
    assert make_environment(tmp_path).from_string(page).render() == "about/#text-ranks"
    settings = SiteSettings.model_validate(
        {"title": "T", "tagline": "t", "address": "https://board.example"}
    )
    (tmp_path / "assets").mkdir()
    digests = {
        Templates(tmp_path, settings=settings, shared=share_anchors(text)).compute_template_digest(
            "page.html"
        )
        for text in addresses
    }
    assert len(digests) == 2


def test_files_of_a_grader_that_has_tests_are_watched(tmp_path: Path) -> None:
    """Titles of tests and the settings of a suite are read, so a change of them is a change."""
    root = write_command_suite(tmp_path / "evals")
    (tmp_path / "data").mkdir()
    sources = Sources(DataFolder(tmp_path / "data"), tmp_path, root, local=False)
    watched_files = find_inputs(sources).rest
    assert str(root / "suite.toml") in watched_files
    assert str(root / "000-numbers" / "000-sums" / "grader" / "test_sums.py") in watched_files


def test_the_canary_of_a_suite_is_its_own(tmp_path: Path) -> None:
    """A suite with settings has the line of its name and number, every other suite ours.

    Without a suite there is no canary.
    """
    assert read_canary(tmp_path, has_evals=True) == LINE
    assert read_canary(tmp_path, has_evals=False) is None
    root = write_command_suite(tmp_path / "evals")
    assert read_canary(root, has_evals=True) == f"canary: sums {CANARY}"
    (root / "suite.toml").write_text('name = "sums"\n')
    with pytest.raises(GeneratorError, match=r"suite\.toml: "):
        read_canary(root, has_evals=True)


def test_a_project_without_templates_has_those_of_the_program(tmp_path: Path) -> None:
    """A project of a team's own has no templates; a project that names some must have them."""
    own = ProjectFolder(tmp_path, {}).find_setting("templates")
    assert isinstance(own, Path)
    assert (own / "layout.html").is_file()
    named = ProjectFolder(tmp_path, {"templates": "pages"}).find_setting("templates")
    assert named == tmp_path / "pages"
