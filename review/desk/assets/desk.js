// The desk's keys, and comfort for its forms, which work without it.
// Elements name their key in data-key; what a key does depends on the element: a button or link is
// clicked, a field is focused, a details element is opened or closed.

const typing = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
/** @type {HTMLFormElement | null} */
const judge = document.querySelector("#judge");
/** @type {HTMLInputElement | null} */
const keysOn = document.querySelector("#keys-on");
const told = /** @type {HTMLElement} */ (document.querySelector("#told"));
const places = "desk-place";
let sent = false;
let unsaved = false;

/**
 * Returns all elements that a selector fits.
 *
 * @returns {any[]} HTML elements, whose kind the selector says
 */
function elements(selector) {
  return [...document.querySelectorAll(selector)];
}

function stored(area, name, value) {
  try {
    if (value === undefined) return area.getItem(name);
    area.setItem(name, value);
  } catch {
    // A browser may keep nothing: then each page begins anew.
  }
  return null;
}

function tell(text) {
  told.textContent = text;
}

/* Keys. */

function pressed(event) {
  if (event.isComposing || event.altKey) return;
  /** @type {HTMLDialogElement | null} */
  const dialog = document.querySelector("dialog[open]");
  if (dialog) {
    if (event.key === "?") dialog.close();
    return;
  }
  const control = event.ctrlKey || event.metaKey;
  const key = control ? `Control+${event.key}` : event.key;
  const types = event.target.closest?.(typing);
  if (types && key === "Escape") {
    types.blur();
    event.preventDefault();
    return;
  }
  if ((types && !control) || (!control && keysOn && !keysOn.checked)) return;
  if (key.startsWith("Arrow") && event.target.matches?.("[tabindex='0']")) return; // it scrolls
  if (act(key)) event.preventDefault();
}

function act(key) {
  if (step(key)) return true;
  for (const element of elements("[data-key]")) {
    if (element.dataset.key.split(" ").includes(key)) return use(element);
  }
  return false;
}

function use(element) {
  if (element.disabled || (sent && element.type === "submit")) return false;
  if (element.matches("details")) {
    element.open = !element.open;
    if (element.open) element.scrollIntoView({ block: "nearest" });
  } else if (element.matches("input, textarea")) {
    element.focus();
  } else {
    element.click();
  }
  return true;
}

/* In a list, j and k go from session to session. */
function step(key) {
  const rows = elements("[data-row]");
  const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[key];
  if (!by || rows.length === 0) return false;
  const now = rows.findIndex((row) => row === document.activeElement);
  const next = now < 0 ? (by > 0 ? 0 : rows.length - 1) : now + by;
  rows[Math.min(Math.max(next, 0), rows.length - 1)].focus();
  return true;
}

document.addEventListener("keydown", pressed);

/* The list of keys, and whether they work. */

for (const button of elements("[data-opens]")) {
  button.addEventListener("click", () => {
    const id = button.dataset.opens ?? "";
    const dialog = /** @type {HTMLDialogElement} */ (document.getElementById(id));
    dialog.showModal();
    dialog.querySelector("button")?.focus(); // not the box: a space would switch the keys off
  });
}
if (keysOn) {
  keysOn.checked = stored(localStorage, "desk-keys") !== "off";
  keysOn.addEventListener("change", () => {
    stored(localStorage, "desk-keys", keysOn.checked ? "on" : "off");
  });
}

/* Tools and long texts: all open, or all folded. */

for (const button of document.querySelectorAll("[data-folds]")) {
  button.addEventListener("click", () => {
    const folds = elements("details.fold");
    const open = folds.some((one) => !one.open);
    for (const one of folds) one.open = open;
  });
}

/* Checking all rows of a page, and how many are checked. */

/** @returns {HTMLInputElement[]} */
const boxes = (name) => elements(`input[type=checkbox][name="${name}"]`);

for (const all of elements("[data-checks]")) {
  const name = all.dataset.checks;
  const output = document.querySelector(`[data-count="${name}"]`);
  const count = () => {
    const checked = boxes(name).filter((box) => box.checked).length;
    if (output) output.textContent = checked ? `: ${checked}` : "";
    all.checked = checked === boxes(name).length;
  };
  all.addEventListener("change", () => {
    for (const box of boxes(name)) box.checked = all.checked;
    count();
  });
  for (const box of boxes(name)) box.addEventListener("change", count);
  count();
}

/* The form of a session: nothing is sent twice, and nothing typed is lost without a word. */

if (judge) {
  judge.addEventListener("input", () => {
    unsaved = true;
  });
  judge.addEventListener("submit", (event) => {
    if (sent) {
      event.preventDefault();
    } else if (unsaved && event.submitter?.hasAttribute("data-drops")) {
      event.preventDefault();
      tell("What you typed is not saved yet: save it before you undo.");
      told.classList.remove("vh");
    } else {
      sent = true;
      unsaved = false;
      stored(sessionStorage, places, JSON.stringify([location.pathname, scrollY]));
    }
  });
  addEventListener("beforeunload", (event) => {
    if (unsaved) event.preventDefault();
  });
  addEventListener("pageshow", () => {
    sent = false;
  });
  const [path, top] = JSON.parse(stored(sessionStorage, places) ?? "[]");
  if (path === location.pathname && !location.hash) scrollTo(0, top);
  stored(sessionStorage, places, "[]");
}

/* A form whose page tells what its choices give: another choice asks for the page again. */

for (const form of document.querySelectorAll("form[data-submits]")) {
  form.addEventListener("change", (event) => {
    if (event.target instanceof HTMLSelectElement && form instanceof HTMLFormElement) {
      form.requestSubmit();
    }
  });
}
