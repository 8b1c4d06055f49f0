// The search box of every page: a combobox over models, evals and all else that `search.json` lists, which
// is fetched when the box is first entered. Without this script the navigation leads to the lists.

import { element, json, parts, setAttributes } from "./elements.js";

const MOST = 12;
/* So many characters begin few ids of runs. */
const SHORTEST = 3;
/** @typedef {HTMLElement & { dataset: { search: string } }} Box of the search */
const box = /** @type {Box} */ (document.querySelector("[data-search]"));
const field = element("input", { type: "search", placeholder: "Search" });
const list = element("ul", { id: "search-matches", role: "listbox", ariaLabel: "Matches" });
list.hidden = true;
const count = element("span", { className: "vh", role: "status" });
let index;
let active = -1;
/* Whether the typed text is found nowhere, though the list could be fetched. */
let nothing = false;

setAttributes(field, {
  role: "combobox",
  "aria-label": "Search models, evals, reports, runs and the method",
  "aria-autocomplete": "list",
  "aria-controls": "search-matches",
  "aria-expanded": "false",
  autocomplete: "off",
});

async function fetched() {
  const address = new URL(box.dataset.search, location.href);
  const kinds = Object.entries(await json(address.href));
  return kinds.flatMap(([kind, entries]) =>
    entries.map(([name, more, href, words = ""]) =>
      kind === "Run"
        ? run(name, more, address)
        : {
            label: [name],
            small: more ? `${kind}, ${more}` : kind,
            href: new URL(href, address).href,
            rank: rankText(`${name} ${more} ${words}`),
          },
    ),
  );
}

/* How well a text holds all that was typed, signs and spaces aside ("gpt5" is in "GPT-5.2"): 0 where each
   is a word of it, 1 where each begins a word, 2 where a word is in the midst, none where a word is missing. */
function rankText(text) {
  const own = parts(text);
  const joined = own.join("");
  const placed = (word) =>
    own.includes(word)
      ? 0
      : own.some((begun) => begun.startsWith(word))
        ? 1
        : joined.includes(word)
          ? 2
          : NaN;
  return (words) => Math.max(...words.map(placed));
}

/* A run is found by how its id begins: its model, which has a page with all of them, leads to that. */
function run(id, more, address) {
  return {
    label: [element("code", {}, id.slice(0, 8))],
    small: `Run, ${more}`,
    href: new URL(`runs/${id}/`, address).href,
    rank: ([word, ...further]) =>
      further.length === 0 && word.length >= SHORTEST && id.startsWith(word) ? 0 : NaN,
  };
}

function load() {
  index ??= fetched().catch(() => {
    index = undefined; // a later try may reach the server
    return [];
  });
  return index;
}

async function search() {
  const typed = field.value.trim();
  const words = parts(typed);
  const all = await load();
  if (typed !== field.value.trim()) return; // more was typed in the meantime
  const matches = all
    .map((entry) => [entry.rank(words), entry])
    .filter(([rank]) => words.length && rank >= 0)
    .sort(([first], [second]) => first - second)
    .map(([, entry]) => entry);
  nothing = typed !== "" && all.length > 0 && matches.length === 0;
  show(nothing ? [allModels(typed)] : matches.slice(0, MOST));
  count.textContent = nothing
    ? `Nothing found for “${typed}”. ${NOT_LISTED} All models: arrow down, Enter.`
    : typed
      ? `${matches.length} ${matches.length === 1 ? "match" : "matches"}`
      : "";
}

const NOT_LISTED = "Models that are not in the list of models were not measured.";

/* The entry of the list if nothing was found. */
const allModels = (typed) => ({
  label: [`Nothing found for “${typed}”. ${NOT_LISTED}`],
  small: "All models",
  href: new URL("models/", new URL(box.dataset.search, location.href)).href,
});

function show(entries) {
  activate(-1);
  list.replaceChildren(...entries.map(option));
  list.classList.toggle("nothing", nothing);
  list.hidden = entries.length === 0;
  field.setAttribute("aria-expanded", String(!list.hidden));
}

function option(entry, number) {
  const name = element("bdi", {}, ...entry.label);
  const small = element("small", {}, entry.small);
  const attributes = { id: `search-match-${number}`, role: "option" };
  const item = element("li", attributes, name, " ", small);
  item.dataset.href = entry.href;
  // The field keeps the focus, so that the list is not closed before the click arrives.
  item.addEventListener("mousedown", (event) => event.preventDefault());
  item.addEventListener("click", () => location.assign(entry.href));
  return item;
}

function activate(number) {
  active = number;
  for (const [at, item] of [...list.children].entries()) {
    item.setAttribute("aria-selected", String(at === number));
    if (at === number) item.scrollIntoView({ block: "nearest" });
  }
  if (number < 0) field.removeAttribute("aria-activedescendant");
  else field.setAttribute("aria-activedescendant", `search-match-${number}`);
}

field.addEventListener("focus", load);
field.addEventListener("input", search);
field.addEventListener("blur", () => show([]));
field.addEventListener("keydown", (event) => {
  const last = list.children.length - 1;
  if (event.key === "ArrowDown" && last >= 0) activate(active >= last ? 0 : active + 1);
  else if (event.key === "ArrowUp" && last >= 0) activate(active <= 0 ? last : active - 1);
  else if (event.key === "Enter" && last >= 0) {
    const chosen = nothing ? active : Math.max(active, 0);
    /** @type {NodeListOf<HTMLElement>} */
    const options = list.querySelectorAll("[role=option]");
    if (chosen >= 0) location.assign(options[chosen].dataset.href ?? "");
  } else if (event.key === "Escape") show([]);
  else return;
  event.preventDefault();
});
box.append(field, list, count);
