"""Components that break, hang, or mean harm fail by name; the next page is as good as new."""

from dataclasses import replace
from pathlib import Path

import pytest

from runner.ui import Setting, Ui, UiBroken, UiFailed


@pytest.mark.parametrize(
    ("component", "reason"),
    [
        ("Missing", 'src/Missing.tsx:1: Could not resolve "./Nothing"'),
        ("NotThere", 'Could not resolve "./src/NotThere.tsx"'),
        ("ThrowsAtImport", "failed as it was loaded: Error: not even loaded"),
        ("Loop", "did not answer within"),
        ("Exit", "a page makes no functions outside of its window"),
        # Killed for its memory, or found hanging before that.
        ("Hungry", "the page "),
    ],
)
def test_a_component_that_cannot_be_rendered(ui: Ui, component: str, reason: str) -> None:
    """Rendering fails with the reason, and the next component renders."""
    with pytest.raises(UiFailed) as failure:
        ui.render(f"src/{component}.tsx")
    assert reason in str(failure.value)
    page = ui.render(props={"box": "after"})
    page.wait_for("Add")


def test_a_component_that_throws_leaves_its_error(ui: Ui) -> None:
    """An error while rendering empties the page and is told with the failure."""
    page = ui.render("src/Throws.tsx")
    assert any("no such luck" in error for error in page.errors())
    with pytest.raises(UiFailed, match=r"The page is empty(.|\n)*no such luck"):
        page.wait_for("Luck", timeout_s=0.1)


def test_rejections_nobody_handles_are_kept(ui: Ui) -> None:
    """A promise left to reject is among the page's errors."""
    page = ui.render("src/Rejects.tsx")
    page.click("Go")
    assert any("unhandled rejection: Error: left alone" in error for error in page.errors())


def test_a_hang_on_a_click_fails_this_page_only(ui: Ui) -> None:
    """An endless loop in a handler ends the page; its methods go on saying why."""
    page = ui.render("src/LoopOnClick.tsx")
    with pytest.raises(UiFailed, match="never yields"):
        page.click("Go")
    with pytest.raises(UiFailed, match="never yields"):
        page.text()
    ui.render(props={"box": "after"}).wait_for("Add")


def test_a_page_cannot_answer_in_the_graders_place(ui: Ui) -> None:
    """Node, what the grader reads with and its kit are out of reach; prints are passed over."""
    page = ui.render("src/Forge.tsx")
    assert page.text() == "As it is"
    assert page.count("p") == 1


def test_a_renderer_that_does_not_start_is_ours(setting: Setting, tmp_path: Path) -> None:
    """Without its packages the renderer is broken; no component is blamed."""
    # The packages are looked up below this folder, where there are none.
    (tmp_path / "node_modules").mkdir()
    broken = replace(setting, toolchain=replace(setting.toolchain, root=tmp_path))
    with Ui(broken) as ui, pytest.raises(UiBroken, match="did not start"):
        ui.render()
