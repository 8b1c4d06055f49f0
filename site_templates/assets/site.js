// Sorting, filtering and choosing columns, on tables that are whole without it.
// What a reader chose stands in the address, so that a link shows the same to somebody else.

import { button, element, parts } from "./elements.js";

const state = new URLSearchParams(location.search);

function remember(name, value) {
  if (value) state.set(name, value);
  else state.delete(name);
  const query = state.toString();
  history.replaceState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
}

/* Tables that are sorted: their heads name a key and a type. */

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  for (const head of heads) {
    if (!head.dataset.type) continue;
    if (!head.hasAttribute("aria-sort")) head.setAttribute("aria-sort", "none");
    head.append(sortButton(table, head));
  }
  const [key, direction] = (state.get("sort") ?? "").split(" ");
  const chosen = heads.find((head) => head.dataset.type && head.dataset.key === key);
  if (chosen) sort(table, chosen, direction === "up");
}

/* The head's own text becomes the button. */
function sortButton(table, head) {
  const sorts = () => {
    const now = head.getAttribute("aria-sort");
    const up = now === "none" ? rising(head) : now === "descending";
    sort(table, head, up);
    remember("sort", `${head.dataset.key} ${up ? "up" : "down"}`);
  };
  const made = button("", sorts);
  made.append(...head.childNodes);
  return made;
}

/* Names and ranks are looked for from their beginning, costs, prices and times from the smallest, and
   other figures from the largest. */
const rising = (head) =>
  head.dataset.type === "text" || head.dataset.key === "rank" || "rising" in head.dataset;

/* Rows stay within their group. Where groups are categories, that is so for the first column only. */
const homes = new WeakMap();

function sort(table, head, up) {
  const index = head.cellIndex;
  const compare = head.dataset.type === "number" ? byNumber : byText;
  const rows = [...table.querySelectorAll("tbody tr:not(.group)")];
  rows.sort((first, second) => compare(value(first, index), value(second, index), up));
  const across = "across" in table.dataset && index > 0;
  table.classList.toggle("across", across);
  for (const row of rows) {
    if (!homes.has(row)) homes.set(row, row.parentElement);
    (across ? table.tBodies[0] : homes.get(row)).append(row);
  }
  for (const cell of table.tHead.rows[0].cells) {
    if (cell.hasAttribute("aria-sort")) cell.setAttribute("aria-sort", "none");
  }
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
}

const value = (row, index) => row.cells[index].dataset.value ?? row.cells[index].textContent.trim();

/* An unknown value stays below in either direction. */
function byNumber(first, second, up) {
  if (first === "" || second === "") return Number(first === "") - Number(second === "");
  return up ? first - second : second - first;
}

function byText(first, second, up) {
  if (first === "" || second === "") return Number(first === "") - Number(second === "");
  return up ? first.localeCompare(second) : second.localeCompare(first);
}

/* Filter and columns. */

function tools(table, bar) {
  const folded = table.classList.contains("folded") ? unfoldButton(table) : [];
  const count = document.createElement("output");
  const all = button("Show all", () => {});
  bar.append(filterField(table, count, all));
  if (table.dataset.table === "board") bar.append(columnChoice(table));
  bar.append(count, all, ...folded);
}

/* A long table shows its first rows: all of them when a reader asks for them, or filters. */
function unfoldButton(table) {
  const rows = table.querySelectorAll("tbody tr:not(.group)").length;
  const made = button(`Show all ${rows} rows`, () => {
    unfold(table);
    remember("rows", "all");
  });
  made.dataset.unfold = "";
  if (state.get("rows") !== "all") return [made];
  unfold(table);
  return [];
}

function unfold(table) {
  table.classList.remove("folded");
  document.querySelector("[data-unfold]")?.remove();
}

function filterField(table, count, all) {
  const field = searchField("Filter rows");
  field.value = state.get("filter") ?? "";
  const chips = chipsOf(table, () => filtered());
  const filtered = () => (all.hidden = filter(table, field.value, chips, count) > 0);
  const changed = () => {
    filtered();
    remember("filter", field.value);
  };
  field.addEventListener("input", changed);
  all.addEventListener("click", () => {
    field.value = "";
    chips.clear();
    changed();
    field.focus();
  });
  filtered();
  return element("label", {}, field);
}

/* Chips beside the views of the leaderboard: a maker, open weights, the most that a pass may cost, and
   an effort. Each is left out where no row, or every row, has it. */
function chipsOf(table, changed) {
  const bar = document.querySelector(`[data-chips="${table.dataset.table}"]`);
  const rows = [...table.querySelectorAll("tbody tr:not(.group)")];
  const cellOf = (key) => {
    const head = table.tHead.querySelector(`[data-key="${key}"]`);
    return (row) => (head ? value(row, head.cellIndex) : "");
  };
  /** @type {Map<string, {passes: (row: HTMLElement) => boolean, clear: () => void}>} */
  const chosen = new Map();
  const choices = [
    choiceOf("maker", "Maker", (row) => row.dataset.maker ?? ""),
    switchesOf(
      "weights",
      "",
      [["open weights", "Open weights"]],
      cellOf("weights"),
      (one, other) => one === other,
    ),
    switchesOf(
      "cost",
      "A pass up to",
      ["0.01", "0.03", "0.10"].map((most) => [most, `$${most}`]),
      cellOf("pass_cost"),
      (one, most) => one !== "" && Number(one) <= Number(most),
    ),
    choiceOf("effort", "Effort", cellOf("effort")),
  ];
  if (bar) bar.append(...choices.flat());
  return {
    used: () => chosen.size > 0,
    passes: (row) => [...chosen.values()].every(({ passes }) => passes(row)),
    clear: () => [...chosen.values()].forEach(({ clear }) => clear()),
  };

  function choose(key, wanted, passes, clear) {
    if (wanted) chosen.set(key, { passes, clear });
    else chosen.delete(key);
    remember(key, wanted);
  }

  function choiceOf(key, name, read) {
    const values = [...new Set(bar ? rows.map(read) : [])].filter(Boolean).sort();
    if (values.length < 2) return [];
    const options = values.map((one) => new Option(one, one));
    const select = element("select", { ariaLabel: name }, new Option(name, ""), ...options);
    const selected = () => {
      select.classList.toggle("chosen", select.value !== "");
      const wanted = select.value;
      const clear = () => {
        select.value = "";
        selected();
      };
      choose(key, wanted, (row) => read(row) === wanted, clear);
    };
    select.value = values.includes(state.get(key) ?? "") ? (state.get(key) ?? "") : "";
    if (select.value) selected();
    select.addEventListener("change", () => {
      selected();
      changed();
    });
    return [select];
  }

  function switchesOf(key, name, values, read, matches) {
    const telling = values.filter(([wanted]) => {
      const some = bar ? rows.filter((row) => matches(read(row), wanted)).length : 0;
      return some > 0 && some < rows.length;
    });
    const buttons = telling.map(([wanted, words]) => {
      const made = button(words, () => {
        press(made.getAttribute("aria-pressed") === "true" ? "" : wanted);
        changed();
      });
      made.dataset.value = wanted;
      made.setAttribute("aria-pressed", "false");
      return made;
    });
    const press = (wanted) => {
      for (const one of buttons)
        one.setAttribute("aria-pressed", `${one.dataset.value === wanted}`);
      choose(
        key,
        wanted,
        (row) => matches(read(row), wanted),
        () => press(""),
      );
    };
    const wanted = telling.map(([one]) => one).find((one) => one === state.get(key));
    if (wanted) press(wanted);
    return name && buttons.length ? [element("span", {}, name), ...buttons] : buttons;
  }
}

/* Shows the rows that pass the chips and hold every word of a text, signs and spaces aside ("gpt5" is in
   "GPT-5.2"), and says how many of how many; returns the former. The map shows the same models. */
function filter(table, text, chips, count) {
  const words = parts(text);
  if (words.length || chips.used()) unfold(table);
  let shown = 0;
  let all = 0;
  for (const body of table.tBodies) {
    let here = 0;
    for (const row of body.rows) {
      if (row.classList.contains("group")) continue;
      const content = named(table, row) + parts(row.dataset.words ?? "").join(" ");
      row.hidden = !(words.every((word) => content.includes(word)) && chips.passes(row));
      here += row.hidden ? 0 : 1;
      all += 1;
    }
    const group = body.querySelector("tr.group");
    if (group) group.hidden = here === 0;
    shown += here;
  }
  // A sentence replaces an empty table.
  table.hidden = shown === 0;
  const column = table.querySelector("thead th[data-type='text']").dataset.key;
  const some = shown
    ? `${shown} of ${all} rows`
    : `No ${column} in this table matches${words.length ? ` “${text.trim()}”` : " these choices"}.`;
  for (const mark of document.querySelectorAll("svg.map a")) {
    const key = mark.getAttribute("data-model");
    const row = table.querySelector(`tr[data-key="${CSS.escape(key ?? "")}"]`);
    mark.classList.toggle("other", row?.hasAttribute("hidden") ?? false);
  }
  count.textContent = words.length || chips.used() ? some : "";
  if (!shown && table.dataset.table === "board") count.append(" ", amongAllModels(text));
  return shown;
}

/* Names on the map that it has no room for, chosen by a click on a row or by the button that is put in it. */
function namesOnMap(table) {
  const marks = [...document.querySelectorAll("svg.map a")];
  const keyOf = (mark) => mark.getAttribute("data-model") ?? "";
  const unnamed = new Set(marks.filter((mark) => mark.querySelector(".name.late")).map(keyOf));
  const chosen = new Set((state.get("names") ?? "").split(",").filter((key) => unnamed.has(key)));
  const picks = [];
  const tell = () => {
    for (const mark of marks) mark.classList.toggle("chosen", chosen.has(keyOf(mark)));
    for (const [key, made] of picks) made.setAttribute("aria-pressed", `${chosen.has(key)}`);
  };
  const choose = (key) => {
    if (!chosen.delete(key)) chosen.add(key);
    remember("names", [...chosen].join(","));
    tell();
  };
  for (const row of table.querySelectorAll("tbody tr[data-key]")) {
    const { key } = row.dataset;
    if (!unnamed.has(key)) continue;
    const made = button("on the map", () => choose(key));
    made.className = "pick";
    made.ariaLabel = `Name ${row.querySelector("th").dataset.value} on the map`;
    row.querySelector("th").append(" ", made);
    row.addEventListener("click", ({ target }) => {
      if (!target.closest("a, button") && !String(getSelection())) choose(key);
    });
    picks.push([key, made]);
  }
  tell();
}

/* Leads to the list of every model, of any version and not measured yet, filtered the same. */
function amongAllModels(text) {
  const models = document.querySelector("header nav a[href$='models/']");
  const { href } = /** @type {HTMLAnchorElement} */ (models);
  const filtered = `${href}?filter=${encodeURIComponent(text.trim())}`;
  return element("a", { href: filtered }, "Look among all models");
}

/* Names and texts of a row, without its figures: "9" is in nearly every row. */
function named(table, row) {
  const heads = table.tHead.rows[0].cells;
  return [...row.cells]
    .filter((cell) => cell.matches("th, .text") || heads[cell.cellIndex]?.dataset.type === "text")
    .map((cell) => parts(cell.textContent).join(""))
    .join(" ");
}

function columnChoice(table) {
  const list = element("div");
  const aside = [...table.tHead.rows[0].cells].filter((head) => "aside" in head.dataset);
  const usual = aside
    .map((head) => head.dataset.key)
    .sort()
    .join(",");
  const keys = state.get("without") ?? usual;
  const hidden = new Set(keys.split(",").filter((key) => key !== "" && key !== "none"));
  for (const head of table.tHead.rows[0].cells) {
    const key = head.dataset.key;
    if (!key || key === "model" || key === "rank") continue;
    list.append(columnBox(table, head, key, hidden, usual));
    show(table, head, !hidden.has(key));
  }
  list.append(countsBox(table), resetButton(list));
  return menu("Columns", list);
}

/* A menu closes with Escape, and when something else is clicked or entered. */
function menu(name, content) {
  const summary = element("summary", {}, name);
  const details = element("details", {}, summary, content);
  const closed = (event) => {
    if (!details.contains(event.target)) details.open = false;
  };
  document.addEventListener("pointerdown", closed);
  document.addEventListener("focusin", closed);
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    details.open = false;
    summary.focus();
  });
  return details;
}

function resetButton(list) {
  return button("Show all columns", () => {
    for (const box of list.querySelectorAll("input[data-column]")) if (!box.checked) box.click();
  });
}

/* Counts beside percentages: for readers who cannot hover over a cell. */
function countsBox(table) {
  const box = element("input", { type: "checkbox", checked: state.has("counts") });
  const shares = document.querySelector(".heatmap") ?? table;
  shares.classList.toggle("counts", box.checked);
  box.addEventListener("change", () => {
    shares.classList.toggle("counts", box.checked);
    remember("counts", box.checked ? "1" : "");
  });
  return element("label", {}, box, " Counts");
}

function columnBox(table, head, key, hidden, usual) {
  const box = element("input", { type: "checkbox", checked: !hidden.has(key) });
  box.dataset.column = key;
  box.addEventListener("change", () => {
    if (box.checked) hidden.delete(key);
    else hidden.add(key);
    show(table, head, box.checked);
    // The address has no columns if they are the usual columns.
    const without = [...hidden].sort().join(",");
    remember("without", without === usual ? "" : without || "none");
  });
  return element("label", {}, box, ` ${head.textContent.trim()}`);
}

function show(table, head, shown) {
  const index = head.cellIndex;
  for (const row of table.rows) {
    if (!row.classList.contains("group")) row.cells[index].hidden = !shown;
  }
}

/* The matrix: one stop of the tabulator, and arrow keys from link to link. */

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function matrix(table) {
  const links = [...table.querySelectorAll("a")];
  for (const link of links) link.tabIndex = -1;
  // The box that scrolls is reached by its links.
  table.closest(".wide").removeAttribute("tabindex");
  let [stop] = links;
  const moveStop = (link) => {
    stop.tabIndex = -1;
    stop = link;
    stop.tabIndex = 0;
  };
  moveStop(stop);
  table.addEventListener("focusin", (event) => moveStop(event.target));
  table.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const next = neighbour(table, event.target.closest("th, td"), event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  // A stop in a row or column that is hidden would be out of reach; some head of a column never is.
  const reached = () => moveStop(links.find((link) => link.checkVisibility()));
  const box = document.querySelector("[data-hide-passed]");
  if (box) hidePassed(table, box, reached);
  const bar = document.querySelector("[data-models]");
  // The best models stand on the first page of a matrix alone.
  if (bar)
    bar.append(...modelChoice(table, reached, bar.getAttribute("data-models") !== "further"));
}

/* The next link in the direction of a key, past cells without one and rows that are hidden. */
function neighbour(table, cell, key) {
  if (key === "Home") return cell.parentElement.querySelector("a");
  if (key === "End") return [...cell.parentElement.querySelectorAll("a")].pop();
  if (!STEPS[key]) return null;
  const [down, right] = STEPS[key];
  let row = cell.parentElement.rowIndex + down;
  let column = cell.cellIndex + right;
  for (; table.rows[row] && column >= 0; row += down, column += right) {
    const { cells } = table.rows[row];
    if (right && column >= cells.length) return null;
    const link = cells[column]?.querySelector("a");
    if (link?.checkVisibility()) return link;
  }
  return null;
}

function hidePassed(table, box, changed) {
  box.checked = state.get("hide") === "passed";
  table.classList.toggle("passing-hidden", box.checked);
  box.addEventListener("change", () => {
    table.classList.toggle("passing-hidden", box.checked);
    remember("hide", box.checked ? "passed" : "");
    changed();
  });
}

/* A table for which the page is wide enough goes with the page; another has a box that scrolls.
   The box is as wide either way, so that one does not lead to the other and back. */

function fitted(box) {
  const table = box.querySelector("table");
  const look = () => {
    const whole = table.offsetWidth <= box.offsetWidth;
    box.classList.toggle("whole", whole);
    box.classList.toggle("boxed", !whole);
  };
  look();
  const watch = new ResizeObserver(look);
  watch.observe(box);
  watch.observe(table);
}

/* Which models the matrix shows: the first ten, those of a maker, or some by name. The address states
   `top`, `maker:` with its name, or the models' keys. */

const TOP = 10;
/* Columns that leave room for the titles of evals in full: twelve models and the two before them. */
const ROOMY = 14;

function modelChoice(table, changed, best) {
  const heads = [...table.tHead.querySelectorAll("[data-maker]")];
  const list = modelList(heads);
  const boxes = [...list.querySelectorAll("input")];
  const count = element("output");
  const choose = (selection) => {
    showModels(table, heads, selection);
    boxes.forEach((box, index) => (box.checked = !heads[index].hidden));
    const shown = heads.filter((head) => !head.hidden).length;
    count.textContent = shown < heads.length ? `${shown} of ${heads.length} models` : "";
    remember("models", selection);
    changed();
  };
  list.addEventListener("change", () => {
    const keys = heads.filter((_, index) => boxes[index].checked).map((head) => head.dataset.key);
    choose(keys.length === heads.length ? "" : keys.join(","));
  });
  const choices = [...usualChoices(heads, choose, best), nameField(list), list];
  const selection = state.get("models") ?? "";
  if (selection) choose(selection);
  else boxes.forEach((box) => (box.checked = true));
  return [menu("Models", element("div", { className: "models" }, ...choices)), count];
}

function usualChoices(heads, choose, best) {
  const makers = [...new Set(heads.map((head) => head.dataset.maker))].sort();
  const options = makers.map((maker) => new Option(maker, `maker:${maker}`));
  const none = new Option("Models of …", "");
  const select = element("select", { ariaLabel: "Models of a maker" }, none, ...options);
  select.addEventListener("change", () => {
    choose(select.value);
    select.value = "";
  });
  const ranked = heads.filter((head) => !("baseline" in head.dataset)).length;
  const buttons = [["All models", ""], ...(best && ranked > TOP ? [[`Top ${TOP}`, "top"]] : [])];
  return [...buttons.map(([text, selection]) => button(text, () => choose(selection))), select];
}

function modelList(heads) {
  const labels = heads.map((head) =>
    element("label", {}, element("input", { type: "checkbox" }), ` ${head.textContent.trim()}`),
  );
  return element("div", {}, ...labels);
}

const searchField = (words) =>
  element("input", { type: "search", placeholder: words, ariaLabel: words });

function nameField(list) {
  const field = searchField("Name of a model");
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    for (const label of list.children)
      label.hidden = !label.textContent.toLowerCase().includes(wanted);
  });
  return field;
}

function showModels(table, heads, selection) {
  const ranked = heads.filter((head) => !("baseline" in head.dataset)).slice(0, TOP);
  const keys = selection.split(",");
  const wanted = (head) => {
    if (selection === "top") return ranked.includes(head);
    if (selection.startsWith("maker:"))
      return head.dataset.maker === selection.slice("maker:".length);
    return selection === "" || keys.includes(head.dataset.key);
  };
  // An address may name models that this table has not: it then shows all.
  const chosen = heads.some(wanted) ? wanted : () => true;
  for (const head of heads) show(table, head, chosen(head));
  const columns = [...table.tHead.rows[0].cells].filter((cell) => !cell.hidden).length;
  for (const group of table.querySelectorAll("tr.group")) group.cells[0].colSpan = columns;
  table.classList.toggle("roomy", columns <= ROOMY);
  // A baseline is no model: whether it passes does not decide.
  const models = heads.filter((head) => !head.hidden && !("baseline" in head.dataset));
  const places = models.map((head) => head.cellIndex);
  for (const row of table.querySelectorAll("tbody tr:not(.group)")) {
    const passed = places.every((index) => row.cells[index].classList.contains("passed"));
    row.classList.toggle("all", places.length > 0 && passed);
  }
}

/* "Copy as Markdown" beside each table that has a bar of tools: the rows and columns in sight. */

const SHOWN_MS = 2000;

/* A sign that Markdown or HTML would take for markup is escaped. */
const escaped = (words) => words.replace(/[\\`*_[\]<>|#~&]/g, "\\$&");

const cellText = (cell) => escaped(cell.innerText.replace(/\s+/g, " ").trim());

function markdown(table) {
  const heads = [...table.tHead.rows[0].cells].filter((head) => !head.matches("[hidden], .drawn"));
  const lines = [heads.map(cellText), heads.map(rule)];
  for (const row of table.querySelectorAll("tbody tr")) {
    if (row.checkVisibility()) lines.push(copiedCells(row, heads));
  }
  const title = escaped(document.querySelector("h1")?.innerText.trim() ?? "");
  return `${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}\n\n[${title}](${location.href})\n`;
}

const rule = (head) => (head.dataset.type === "number" ? "---:" : "---");

/* The title of a group stands in the first cell of its row. */
function copiedCells(row, heads) {
  if (row.classList.contains("group")) {
    return heads.map((_, index) => (index === 0 ? `**${cellText(row.cells[0])}**` : ""));
  }
  return heads.map((head) => cellText(row.cells[head.cellIndex]));
}

function copyButton(table) {
  const notice = element("small", { role: "status", className: "vh" });
  const made = button("", async () => {
    try {
      await navigator.clipboard.writeText(markdown(table));
    } catch {
      notice.className = "";
      notice.textContent = "Not copied: the browser did not allow it.";
      return;
    }
    notice.className = "vh";
    notice.textContent = "Table copied as Markdown.";
    made.classList.add("done");
    setTimeout(() => {
      made.classList.remove("done");
      notice.textContent = "";
    }, SHOWN_MS);
  });
  made.className = "copy";
  made.append(
    element("span", {}, "Copy as Markdown"),
    element("span", { ariaHidden: "true" }, "Copied"),
  );
  return [made, notice];
}

/** @type {NodeListOf<HTMLTableElement>} */
const tables = document.querySelectorAll("table[data-table]");
for (const table of tables) {
  if (table.tHead?.querySelector("[data-type]")) sortable(table);
  const bar = document.querySelector(`[data-tools="${table.dataset.table}"]`);
  if (bar) tools(table, bar);
  if (table.dataset.table === "matrix") matrix(table);
  if (table.dataset.table === "board") namesOnMap(table);
  // Without a clipboard (an address that is not secure) there is no button that would do nothing.
  if (bar && table.tHead && navigator.clipboard) bar.append(...copyButton(table));
}
for (const box of document.querySelectorAll(".wide.fits")) fitted(box);
// A browser leaves a stop where it is if 32 pixels of it are in its box, also below a column that stays.
for (const box of document.querySelectorAll(".wide")) {
  box.addEventListener("focusin", ({ target }) => {
    const stop = /** @type {HTMLElement} */ (target);
    if (stop.matches(":focus-visible"))
      stop.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}
