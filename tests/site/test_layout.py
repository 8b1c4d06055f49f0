"""The layout: on a desk pages are filled and rows equally high; on a phone no texts meet."""

import pytest
from playwright.sync_api import Browser

from tests.site.example_site import BuiltSite, kinds

pytestmark = pytest.mark.integration

_WIDTH = 1280
_LEAST = 0.9
"""Share of the page's width that each table spans, alone or with what stands beside it."""
_WIDEST_GAP = 0.5
"""Share of the page's width that may lie between two neighbours of a row."""
_MOST_DIFFERENCE_PX = 2


def test_tables_span_the_page_on_a_desk(browser: Browser, site: BuiltSite, address: str) -> None:
    """Alone or with the part beside them, on pages of every kind; and no row is torn apart."""
    page = browser.new_page(viewport={"width": _WIDTH, "height": 900})
    narrow: dict[str, list[str]] = {}
    tables = 0
    for name, path in kinds(site).items():
        # What an address chooses is loaded by the script, and its tables count as well.
        page.goto(address + path, wait_until="networkidle" if "?" in path else "load")
        measured = page.evaluate(_SPANS)
        tables += len(measured)
        if short := [
            f"{table['label']}: spans {table['span']:.2f}, gap of {table['gap']:.2f}"
            for table in measured
            if table["span"] < _LEAST or table["gap"] > _WIDEST_GAP
        ]:
            narrow[name] = short
    page.close()
    assert tables > len(kinds(site))
    assert narrow == {}


# The span of each table's block in the main part, and the widest gap between two contents of a row:
# the median over the rows of which most cells are filled.
_SPANS = """() => {
  const style = getComputedStyle(document.querySelector("main"));
  const room = document.querySelector("main").clientWidth
    - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const extent = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const drawn = [...cell.querySelectorAll("svg")].map((one) => one.getBoundingClientRect());
    const boxes = [...range.getClientRects(), ...drawn].filter((box) => box.width > 1);
    if (!boxes.length) return null;
    return [Math.min(...boxes.map((box) => box.left)), Math.max(...boxes.map((box) => box.right))];
  };
  const gap = (row) => {
    const extents = [...row.cells].map(extent).filter(Boolean);
    extents.sort((one, other) => one[0] - other[0]);
    const gaps = extents.slice(1).map((one, place) => one[0] - extents[place][1]);
    return Math.max(0, ...gaps);
  };
  const tables = [...document.querySelectorAll("main section.wide > table")];
  return tables.filter((table) => table.checkVisibility()).map((table) => {
    const block = table.closest(".sides") ?? table;
    const rows = [...table.tBodies].flatMap((body) => [...body.rows])
      .filter((row) => row.cells.length > 1 && row.checkVisibility())
      .filter((row) => [...row.cells].filter(extent).length * 2 > row.cells.length);
    const gaps = rows.map(gap).sort((one, other) => one - other);
    return {
      label: table.closest("section").ariaLabel ?? table.className,
      span: block.getBoundingClientRect().width / room,
      gap: (gaps[Math.floor(gaps.length / 2)] ?? 0) / room,
    };
  });
}"""


def test_names_of_evals_are_not_broken_on_a_desk(
    browser: Browser, site: BuiltSite, address: str
) -> None:
    """In tables each stands on one line, whole."""
    page = browser.new_page(viewport={"width": _WIDTH, "height": 900})
    broken: dict[str, list[str]] = {}
    names = 0
    for name, path in kinds(site).items():
        page.goto(address + path)
        lines = page.evaluate(_LINES_OF_NAMES)
        names += len(lines)
        if wrapped := [text for text, number in lines if number > 1]:
            broken[name] = wrapped[:3]
    page.close()
    assert names > 100
    assert broken == {}


def test_rows_of_evals_are_equally_high(browser: Browser, site: BuiltSite, address: str) -> None:
    """In the list of evals, whatever remarks a row has; and the list stands whole on the page."""
    page = browser.new_page(viewport={"width": _WIDTH, "height": 900})
    page.goto(f"{address}{kinds(site)['evals']}")
    heights = page.evaluate(_ROWS_OF_EVALS)
    scrolled = page.evaluate(_SCROLLED)
    page.close()
    assert len(heights) > 60
    assert max(heights) - min(heights) <= _MOST_DIFFERENCE_PX
    assert scrolled == 0


_ROWS_OF_EVALS = """() => [...document.querySelectorAll('[data-table="evals"] tr[data-key]')]
  .map((row) => row.getBoundingClientRect().height)"""
_SCROLLED = """() => {
  const list = document.querySelector("section:has(> [data-table=evals])");
  return list.scrollHeight - list.clientHeight;
}"""

_LINES_OF_NAMES = """() => [...document.querySelectorAll("main td code, main th code")]
  .filter((one) => one.checkVisibility() && /^[0-9]{3}-/.test(one.textContent))
  .map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    const tops = [...range.getClientRects()].map((box) => Math.round(box.top));
    return [one.textContent, new Set(tops).size];
  })"""


@pytest.mark.parametrize("width", [_WIDTH, pytest.param(1600, marks=pytest.mark.night)])
def test_rows_of_models_are_equally_high(
    browser: Browser, site: BuiltSite, address: str, width: int
) -> None:
    """Whatever their names, makers and remarks; a maker stands below the name, in line with it."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    uneven: dict[str, list[str]] = {}
    boards: set[str] = set()
    for name, path in kinds(site).items():
        page.goto(address + path)
        for label, heights, aside in page.evaluate(_ROWS_OF_MODELS):
            boards.add(name)
            if max(heights) - min(heights) > _MOST_DIFFERENCE_PX or aside:
                uneven.setdefault(name, []).append(f"{label}: {sorted(set(heights))}, {aside}")
    page.close()
    assert uneven == {}
    assert {"front", "with", "without", "category", "models", "version"} <= boards


# Of each board: the heights of its rows, and the makers that are not below the beginning of a name.
_ROWS_OF_MODELS = """() => [...document.querySelectorAll("table.named")].map((table) => {
  const rows = [...table.tBodies].flatMap((body) => [...body.rows])
    .filter((row) => !row.classList.contains("group") && row.checkVisibility());
  const beside = (row) => {
    const maker = row.querySelector("th .provider")?.getBoundingClientRect();
    const name = row.querySelector("th > :first-child").getBoundingClientRect();
    return maker && (Math.abs(maker.left - name.left) > 1 || maker.top < name.bottom - 2);
  };
  return [
    table.dataset.table,
    rows.map((row) => Math.round(row.getBoundingClientRect().height)),
    rows.filter(beside).map((row) => row.dataset.key),
  ];
})"""


@pytest.mark.parametrize("kind", ["models", "category", "version-category"])
def test_texts_of_cells_stay_apart_on_a_phone(
    browser: Browser, site: BuiltSite, address: str, kind: str
) -> None:
    """No text of a cell reaches into the next: slugs wrap, and marks have columns wide enough."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(address + kinds(site)[kind])
    texts, meeting = page.evaluate(_MEETING)
    page.close()
    assert texts > 10
    assert meeting == []


# The number of texts in cells, and the cells with a text that reaches into that of the next cell.
# The part of a text that an element cuts off does not count.
_MEETING = """() => {
  const boxes = (cell) => {
    const found = [];
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      let end = Infinity;
      let part = walker.currentNode.parentElement;
      for (; part !== cell.parentElement; part = part.parentElement) {
        const style = getComputedStyle(part);
        if (style.display !== "inline" && style.overflowX !== "visible") {
          end = Math.min(end, part.getBoundingClientRect().right);
        }
      }
      for (const { left, right, top, bottom } of range.getClientRects()) {
        if (right - left > 1) found.push({ left, right: Math.min(right, end), top, bottom });
      }
    }
    return found;
  };
  const meet = (one, other) => one.right > other.left + 0.5 && one.left < other.right
    && one.bottom > other.top + 1 && one.top < other.bottom - 1;
  let texts = 0;
  const meeting = [];
  for (const row of document.querySelectorAll("main tbody tr:not(.group)")) {
    const cells = [...row.cells].filter((cell) => cell.checkVisibility());
    cells.slice(1).forEach((next, place) => {
      const earlier = boxes(cells[place]);
      texts += earlier.length;
      if (boxes(next).some((later) => earlier.some((one) => meet(one, later)))) {
        meeting.push(`${cells[place].textContent.trim()} | ${next.textContent.trim()}`);
      }
    });
  }
  return [texts, meeting];
}"""
