"""Texts of the suite and the method on the site: an invalid file is named."""

from datetime import timedelta
from pathlib import Path

import pytest

from generator.errors import GeneratorError
from generator.read.suite_texts import read_described_texts, read_method_text, read_suite_texts
from generator.render.templates import read_assets
from records.files.data_folder import DataFolder
from records.suites.canary import LINE
from records.suites.eval_config import DescribedEval, Pipeline, SuiteDescription
from records.writer import write_record
from tests.records.examples import NOON

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[3]
GOOD = 'title = "A"\nconcept = "B"\nwhy = "C"\nguidelines = ["D"]\nlimits = {}\n'

BROKEN = {
    'title = "': "eval.toml: not TOML: ",
    GOOD.replace('"B"', "2"): "eval.toml: concept: ",
    GOOD.replace('why = "C"\n', ""): "eval.toml: why: Field required",
    GOOD.replace('["D"]', '"D"'): "eval.toml: guidelines: ",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of an eval in a suite."""
    folder = tmp_path / "000-a" / "000-b"
    folder.mkdir(parents=True)
    (folder / "eval.toml").write_text(GOOD)
    (folder / "TASK.txt").write_text("Write.\n")
    return folder


@pytest.mark.parametrize("text", BROKEN)
def test_a_wrong_eval_toml_is_named_by_file_and_field(text: str, folder: Path) -> None:
    """The error comes before any template renders the text."""
    assert read_suite_texts(folder.parents[1])["000-a/000-b"].guidelines == ["D"]
    (folder / "eval.toml").write_text(text)
    with pytest.raises(GeneratorError) as raised:
        read_suite_texts(folder.parents[1])
    assert str(raised.value).startswith(f"{folder}/{BROKEN[text]}")


def test_the_canary_is_no_part_of_shown_texts(folder: Path) -> None:
    """No answer has its line, so every diff against the reference would show it."""
    (folder / "TASK.txt").write_text(f"Write ponds.\n\n{LINE}\n")
    texts = read_suite_texts(folder.parents[1])
    assert next(iter(texts.values())).task == "Write ponds.\n"


def test_the_newest_description_of_an_eval_is_shown(tmp_path: Path) -> None:
    """Texts of suites kept elsewhere come from the data folder, with titles of tests."""
    data = DataFolder(tmp_path)
    for day, task in enumerate(("An old task.", "A new task.")):
        described = DescribedEval(
            title="An eval",
            pipeline=Pipeline.FULL,
            task=task,
            reference={"convex/index.ts": "export {};"},
            tests=("group > one", "group > one", "two"),
        )
        suite = SuiteDescription(
            schema_version=1,
            version=f"{9 - day}" * 12,
            name="suite",
            described_at=NOON + timedelta(days=day),
            evals={"000-a/000-b": described},
        )
        write_record(data.suites, suite)

    (texts,) = read_described_texts(data.suites.list_files()).values()

    assert (texts.task, texts.concept, texts.is_of_project) == ("A new task.", None, False)
    assert [test.sentence for test in texts.tests] == ["group > one", "two"]
    assert list(texts.reference) == ["convex/index.ts"]


def test_a_text_that_is_missing_or_no_text_is_named(folder: Path) -> None:
    """This applies to the task and to the files of the answer."""
    task = folder / "TASK.txt"
    task.unlink()
    with pytest.raises(GeneratorError, match=r"TASK\.txt: .*No such file"):
        read_suite_texts(folder.parents[1])
    task.write_bytes(b"\xff")
    with pytest.raises(GeneratorError, match=r"TASK\.txt: .*utf-8"):
        read_suite_texts(folder.parents[1])


def test_a_method_that_is_no_text_is_named(tmp_path: Path) -> None:
    """A missing method is no mistake: the page mentions it."""
    method = tmp_path / "method.md"
    assert "missing" in read_method_text(method)
    method.write_bytes(b"\xff")
    with pytest.raises(GeneratorError, match=r"method\.md: .*utf-8"):
        read_method_text(method)


@pytest.mark.parametrize("relative_path", ["TASK.txt", "answer/convex/keys.ts", "answer/convex"])
def test_a_link_in_the_suite_is_refused(relative_path: str, folder: Path, tmp_path: Path) -> None:
    """A link in a pull request could publish a file of the machine that builds."""
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / ".env").write_text("KEY=1")
    path = folder / relative_path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(secret if relative_path == "answer/convex" else secret / ".env")
    with pytest.raises(GeneratorError, match=f"{path}: is a symbolic link"):
        read_suite_texts(tmp_path)


def test_assets_load_one_another_by_the_names_of_their_content(tmp_path: Path) -> None:
    """A changed file gets another name, and so do all files that load it; a preview keeps names."""
    (tmp_path / "page.js").write_text('import { a } from "./code.js";\n')
    (tmp_path / "code.js").write_text('import b from "./prism.js";\n')
    (tmp_path / "prism.js").write_text("export default 1;\n")
    (tmp_path / "site.css").write_text('src: url("face.woff2"), url("data:x");\n')
    (tmp_path / "face.woff2").write_bytes(b"face")
    before = read_assets(tmp_path)
    for name, loaded in {
        "page.js": "code.js",
        "code.js": "prism.js",
        "site.css": "face.woff2",
    }.items():
        content = before.files[before.paths[name]].decode()
        assert Path(before.paths[loaded]).name in content
        assert f'"{loaded}"' not in content
    (tmp_path / "prism.js").write_text("export default 2;\n")
    after = read_assets(tmp_path)
    changed = {name for name, path in after.paths.items() if path != before.paths[name]}
    assert changed == {"page.js", "code.js", "prism.js"}
    steady = read_assets(tmp_path, steady=True)
    assert steady.files["assets/page.js"] == (tmp_path / "page.js").read_bytes()


def test_a_link_among_the_assets_is_refused(tmp_path: Path) -> None:
    """All files there are published unchanged."""
    (tmp_path / "site.css").symlink_to(ROOT / "README.md")
    with pytest.raises(GeneratorError, match=r"site\.css: is a symbolic link"):
        read_assets(tmp_path)


def test_tests_are_read_from_a_grader_and_never_run(folder: Path) -> None:
    """The docstrings of its functions, in order; a function without a docstring has its name."""
    (folder / "grader.py").write_text(
        "raise SystemExit('was run')\n\n"
        'def test_ties_are_broken(convex):\n    """Ties are broken by id.\n\n    More."""\n\n'
        "def helper():\n    pass\n\n"
        "def test_nothing_else_is_read(convex):\n    pass\n"
    )
    tests = read_suite_texts(folder.parents[1])["000-a/000-b"].tests
    assert [test.sentence for test in tests] == ["Ties are broken by id.", "Nothing else is read"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("grader.py", "def test_(:\n"),
        ("grader.py", "\0"),
        ("calibration/calibration.toml", '[fail.a]\nstep = "tests"\nreason = "r"\n'),
        ("calibration/calibration.toml", "["),
    ],
)
def test_a_grader_or_calibration_that_cannot_be_read_is_named(
    name: str, text: str, folder: Path
) -> None:
    """A build stops with the file's name instead of leaving tests out."""
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    with pytest.raises(GeneratorError, match=f"{folder}/{name}: "):
        read_suite_texts(folder.parents[1])
