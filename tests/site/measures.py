"""Scripts that measure a page in a browser: sizes, layout, colours, print, and the focus."""

from typing import Final

OBSERVED: Final = """
globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const moved = entry.sources.map((one) => one.node?.outerHTML?.slice(0, 80) ?? one.node?.data);
    globalThis.shifts.push(`${entry.value.toFixed(4)} ${moved}`);
  }
}).observe({ type: "layout-shift", buffered: true });
"""

SMALL: Final = """(least) => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  while (texts.nextNode()) {
    const one = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !one.checkVisibility()) continue;
    const scale = one instanceof SVGElement ? one.getScreenCTM()?.a ?? 1 : 1;
    const size = parseFloat(getComputedStyle(one).fontSize) * scale;
    if (size < least - 0.01) found.add(`${size.toFixed(1)} px: ${one.outerHTML.slice(0, 80)}`);
  }
  return [...found].slice(0, 5);
}"""

BEYOND: Final = """() => [...document.querySelectorAll("table.stacked")].flatMap((table) => {
  const wide = table.scrollWidth > document.documentElement.clientWidth;
  const bare = [...table.querySelectorAll("td.num:not(.missing)")].filter(
    (cell) => cell.checkVisibility() && !cell.matches("[data-label], .between, .m")
      && /^[\\d.,]+$/.test(cell.innerText.trim()),
  );
  return [...(wide ? [table] : []), ...bare].map((one) => one.outerHTML.slice(0, 80));
})"""

# The span of each table's block in the main part, and the widest gap between two contents of a row:
# the median over the rows of which most cells are filled.
SPANS: Final = """() => {
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

LINES_OF_NAMES: Final = """() => [...document.querySelectorAll("main td code, main th code")]
  .filter((one) => one.checkVisibility() && /^[0-9]{3}-/.test(one.textContent))
  .map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    const tops = [...range.getClientRects()].map((box) => Math.round(box.top));
    return [one.textContent, new Set(tops).size];
  })"""

# Of each board: the heights of its rows, and the makers that are not below the beginning of a name.
ROWS_OF_MODELS: Final = """() => [...document.querySelectorAll("table.named")].map((table) => {
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

# Marks of charts, too faint marks, and wrongly underlined entries of the head's navigation.
FORCED: Final = """() => {
  const parsed = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (color) => {
    const [r, g, b] = parsed(color).slice(0, 3).map((one) => {
      const part = one / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const canvas = getComputedStyle(document.body).backgroundColor;
  const marks = [...document.querySelectorAll(
    "svg.bar rect, svg.bar path:not(.zero), svg.plot circle, svg.plot .frontier",
  )].filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 0);
  const seen = (one) => {
    const style = getComputedStyle(one);
    const colors = [style.fill, style.stroke].filter((color) => color !== "none");
    return colors.some((color) => parsed(color)[3] !== 0 && contrast(color, canvas) >= 3);
  };
  const underlined = [...document.querySelectorAll("header.site nav a")]
    .filter((one) => getComputedStyle(one).borderBottomStyle !== "none");
  const current = [...document.querySelectorAll("header.site nav a[aria-current]")];
  return {
    marks: marks.map((one) => one.tagName),
    faint: marks.filter((one) => !seen(one)).map((one) => `faint: ${one.outerHTML.slice(0, 80)}`),
    lost: [
      ...[...document.querySelectorAll("svg.bar path:not(.zero)")].filter((one) => {
        const under = one.parentElement.querySelector("rect");
        return under && contrast(getComputedStyle(one).stroke, getComputedStyle(under).fill) < 3;
      }),
      ...[...document.querySelectorAll(".heat.h9")].filter(
        (one) => getComputedStyle(one).backgroundImage === "none",
      ),
    ].map((one) => `lost: ${one.outerHTML.slice(0, 80)}`),
    unmarked: current.length === underlined.length && current[0] === underlined[0]
      ? [] : [`underlined: ${underlined.map((one) => one.textContent)}`],
  };
}"""

UNOUTLINED: Final = """() => {
  const focused = document.activeElement;
  const style = getComputedStyle(focused);
  const seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return seen ? [] : [focused.outerHTML.slice(0, 80)];
}"""

PRINTED_WRONGLY: Final = """() => {
  const gone = "header.site nav, footer.site nav, .skip, .search, .tools, .switch, .choice, .data";
  const there = [...document.querySelectorAll(gone)].filter((one) => one.checkVisibility());
  const boxes = [...document.querySelectorAll(".wide, pre, figure")].filter((one) => {
    const style = getComputedStyle(one);
    const cut = style.overflowX !== "visible" || style.overflowY !== "visible";
    return one.checkVisibility() && (cut || style.maskImage !== "none");
  });
  const covering = [...document.querySelectorAll("th")].filter(
    (one) => one.checkVisibility() && getComputedStyle(one).position === "sticky",
  );
  return [...new Set([...there, ...boxes, ...covering])].map((one) => one.outerHTML.slice(0, 80));
}"""

BEYOND_THE_PAPER: Final = """() => {
  const paper = document.documentElement.clientWidth;
  const tables = [...document.querySelectorAll("table")].filter((one) => one.checkVisibility());
  const wide = tables.filter((one) => one.getBoundingClientRect().right > paper + 1);
  const alone = [...document.querySelectorAll("h2, h3")].filter(
    (one) => getComputedStyle(one).breakAfter !== "avoid",
  );
  return [...wide, ...alone].map(
    (one) => `${one.getBoundingClientRect().right.toFixed()}: ${one.outerHTML.slice(0, 80)}`,
  );
}"""

# Whether an element, or something in it, stands at its first line's quarter, middle or three
# quarters: a browser leaves a long link alone that begins within a box and ends beyond it.
_SEEN: Final = """
const seen = (element) => {
  const box = [...element.getClientRects()].find((each) => each.width > 0 && each.height > 0);
  if (!box) return true;
  return [0.25, 0.5, 0.75].some((part) => {
    const top = document.elementFromPoint(box.x + box.width * part, box.y + box.height / 2);
    return top !== null && (element.contains(top) || top.contains(element));
  });
};
"""

COVERED_ROWS: Final = f"""() => {{
  {_SEEN}
  return [...document.querySelectorAll("tr[id]")].filter((row) => {{
    location.hash = row.id;
    const link = row.querySelector("a, th, td");
    return !seen(link);
  }}).map((row) => row.id);
}}"""

COVERED_STOPS: Final = f"""() => {{
  {_SEEN}
  const found = document.querySelectorAll("main :is(a[href], button, input, select, summary)");
  return [...found, ...[...found].reverse()].filter((stop) => {{
    if (stop.closest(".skip") || !stop.checkVisibility()) return false;
    stop.focus();
    return document.activeElement === stop && !seen(stop);
  }}).map((stop) => stop.outerHTML.slice(0, 120));
}}"""
