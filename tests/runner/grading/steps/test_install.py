"""The install step: package.json against the pinned toolchain; nothing is downloaded."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.shapes.attempt import Outcome
from runner.errors import ToolchainMissingError
from runner.grading.steps.install import install, is_satisfied
from runner.grading.steps.step import StepResult
from runner.toolchain import ADMITTED, Toolchain
from runner.workspace import Workspace

pytestmark = pytest.mark.integration


@dataclass(frozen=True)
class Installer:
    """Installs by the text of a package.json."""

    workspace: Workspace
    toolchain: Toolchain

    def __call__(self, manifest: str | None) -> StepResult:
        """Write the manifest, if there is any, and install."""
        if manifest is not None:
            self.workspace.write({"package.json": manifest})
        return install(self.workspace, self.toolchain)


@pytest.fixture
def installer(workspace: Workspace, toolchain: Toolchain) -> Installer:
    """Give a way to install into an empty workspace."""
    return Installer(workspace, toolchain)


def make_package_json(**packages: str) -> str:
    """Write a package.json with these dependencies."""
    return json.dumps({"dependencies": packages})


def test_available_packages_pass(installer: Installer) -> None:
    """Packages of the toolchain, in ranges that hold their versions, pass without a message."""
    result = installer(make_package_json(convex="^1.20.0", react="latest"))
    assert (result.step.outcome, result.step.message) == (Outcome.PASSED, None)
    assert "convex ^1.20.0 -> 1." in result.log


def test_an_unknown_package_is_named(installer: Installer) -> None:
    """A dependency that answers cannot have is the model's failure."""
    result = installer(make_package_json(convex="*", lodash="^4"))
    assert result.step.outcome is Outcome.FAILED
    assert result.step.message is not None
    refused, _, listed = result.step.message.partition(". admitted_packages.json lists: ")
    assert refused == "package.json: dependencies.lodash: this package is not available to answers"
    names = listed.split(", ")
    assert {"@convex-dev/workflow", "@convex-dev/presence", "ai", "zod"} <= set(names)
    assert set(names) <= dict(installer.toolchain.packages).keys()


def test_an_admitted_package_that_nothing_imports_is_left_out(installer: Installer) -> None:
    """A package of the list may be declared without use; its name in a text is no use."""
    text = 'export const name = "openai"; // import "openai"\n'
    installer.workspace.write({"convex/a.ts": text})
    result = installer(make_package_json(convex="*", openai="^6"))
    assert result.step.outcome is Outcome.PASSED
    assert result.step.message == (
        "openai is not available; nothing imports it, and it was left out"
    )


@pytest.mark.parametrize(
    "importing",
    [
        'import OpenAI from "openai";',
        'import type { Uploadable } from "openai/uploads";',
        'export * from "openai";',
        'const openai = await import("openai");',
    ],
)
def test_an_admitted_package_that_is_imported_is_missed(
    installer: Installer, importing: str
) -> None:
    """A package of the list that a file imports is missing, and the message names the file."""
    installer.workspace.write({"convex/a.ts": importing, "convex/b.ts": 'import "openair";'})
    result = installer(make_package_json(convex="*", openai="^6"))
    assert result.step.outcome is Outcome.FAILED
    assert result.step.message is not None
    assert result.step.message.startswith(
        "package.json: dependencies.openai: this package is not available to answers; "
        "convex/a.ts imports it. admitted_packages.json lists: "
    )


def test_a_suite_may_have_a_list_of_its_own_or_none(installer: Installer, tmp_path: Path) -> None:
    """Without a list no package is admitted; the error for a list without names has its file."""
    toolchain = replace(installer.toolchain, root=tmp_path)
    assert toolchain.read_admitted_packages() == frozenset()
    (tmp_path / ADMITTED).write_text('{"zod": "4"}')
    with pytest.raises(ToolchainMissingError, match=ADMITTED):
        toolchain.read_admitted_packages()
    (tmp_path / ADMITTED).write_text('["zod"]')
    assert toolchain.read_admitted_packages() == {"zod"}
    assert toolchain.compute_digest() != installer.toolchain.compute_digest()


def test_a_package_with_a_similar_name_is_not_imported(installer: Installer) -> None:
    """An import of another package with the same start of its name does not count."""
    installer.workspace.write({"convex/a.ts": 'import "openair";'})
    assert installer(make_package_json(convex="*", openai="^6")).step.outcome is Outcome.PASSED


def test_a_range_that_does_not_hold_is_noted(installer: Installer) -> None:
    """Another version than declared is used, and the message names both."""
    result = installer(make_package_json(convex="^0.9.0"))
    version = dict(installer.toolchain.packages)["convex"]
    assert result.step.outcome is Outcome.PASSED
    assert result.step.message == f"convex {version} was used, not ^0.9.0"


@pytest.mark.parametrize(
    "version_range", ["^3.0.0", "github:a/b", "file:../b", "https://a.test/b.tgz", "workspace:*"]
)
def test_unused_packages_never_fail_a_typescript_suite(
    workspace: Workspace, toolchain: Toolchain, version_range: str
) -> None:
    """An unknown package, wherever it is declared to be, is noted and left out; an import fails."""
    manifest = make_package_json(**{"convex": "*", "node-fetch": version_range})
    workspace.write({"package.json": manifest, "convex/a.ts": "// node-fetch\nexport {};\n"})
    passed = install(workspace, toolchain, admits_unused=True)
    assert passed.step.outcome is Outcome.PASSED
    assert passed.step.message is not None
    assert passed.step.message.startswith("node-fetch is not available; nothing imports it")
    workspace.write({"convex/a.ts": 'import fetch from "node-fetch";\nexport default fetch;\n'})
    failed = install(workspace, toolchain, admits_unused=True)
    assert failed.step.outcome is Outcome.FAILED


def test_an_unknown_development_package_is_left_out(installer: Installer) -> None:
    """A package only for development may be missing; the message names it."""
    result = installer('{"dependencies": {"convex": "1"}, "devDependencies": {"rimraf": "5"}}')
    assert result.step.outcome is Outcome.PASSED
    assert result.step.message == "rimraf is not available, and was left out"


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (None, "package.json: the file is missing"),
        ("{", "package.json: not valid JSON"),
        ("[]", "package.json: it must hold an object"),
        ("{}", 'package.json: "convex" is not among the dependencies'),
        ('{"dependencies": []}', "package.json: dependencies must be an object"),
        ('{"dependencies": {"convex": 1}}', "package.json: dependencies.convex must be a string"),
        ('{"dependencies": {"convex": "file:../x"}}', "is not a version of a registry"),
        *(
            (f'{{"dependencies": {{"convex": "{version}"}}}}', f"{version!r} is not a version of a")
            for version in (
                *("npm:other@1", " npm:other@1", "NPM:convex@1", "git+ssh://a/b", "git@a:b/c"),
                *("workspace:*", "link:../x", "portal:../x", "http://a/b.tgz", "https://a/b"),
                *("owner/convex", "github:owner/convex", "../x", "./x.tgz", "x.tgz", "~/x"),
            )
        ),
        (
            '{"dependencies": {"convex": "1"}, "optionalDependencies": {"convex": "npm:x@1"}}',
            "npm:x",
        ),
        (
            '{"dependencies": {"convex": "1"}, "overrides": {"a": {"convex": "npm:x@1"}}}',
            "overrides: 'npm",
        ),
        (
            '{"dependencies": {"convex": "1"}, "resolutions": {"convex": "npm:x@1"}}',
            "resolutions: 'npm",
        ),
        ("[" * 100_000, "package.json: not valid JSON"),
    ],
)
def test_an_unusable_manifest_is_the_models_failure(
    installer: Installer, manifest: str | None, message: str
) -> None:
    """The message names the fault of the manifest."""
    result = installer(manifest)
    assert result.step.outcome is Outcome.FAILED
    assert message in (result.step.message or "")


@pytest.mark.parametrize(
    ("wanted", "holds"),
    [
        ("^1.17.0", True),
        ("~1.48", True),
        ("1.x || 2", True),
        (">=1.2 <1.40", False),
        ("latest", True),
        ("", True),
        ("npm:convex@^1", True),
        ("^2", False),
        ("1  -  2", True),
        ("1 - 1.40", False),
        ("not a range!", False),
    ],
)
def test_ranges_are_read_as_npm_reads_them(wanted: str, holds: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """The ranges have carets, tildes, wildcards, alternatives, tags and aliases."""
    assert is_satisfied(wanted, "1.48.0") is holds


@given(st.text(max_size=40) | st.text("12x*^~>=<|-. +al", max_size=12))
def test_any_range_is_answered(wanted: str) -> None:
    """Any range of a model gets an answer and causes no crash."""
    assert is_satisfied(wanted, "1.48.0") in {True, False}
