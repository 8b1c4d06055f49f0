// The desk's keys, and comfort for its forms, which work without it.
// Elements name their key in data-key; what a key does depends on the element: a button or link is
// clicked, a field is focused, a details element is opened or closed.
//
// A key counts for the session in sight when it was pressed. While a save or a page is on its way,
// keys wait; they are obeyed, in order, before another session is shown.

import { ask, fetchAhead, isElsewhere, pageAt, refresh, show } from "./journey.js";
import { countChecked, pressedInList } from "./rows.js";
import { copyText, fold, markFound } from "./transcript.js";
import { enter, formInFocus, pressedInTurn } from "./turns.js";

const typing = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
const saving = new Set(["0", "1", "2", "3", "y", "a", "r"]);
const told = /** @type {HTMLElement} */ (document.querySelector("#told"));

/**
 * Where the window goes once no key waits.
 *
 * @typedef {object} Leaving
 * @property {string} href
 * @property {"step" | "next" | "stay"} kind - a link or another form, a save that goes on, or one
 *   that stays
 * @property {XMLHttpRequest} [answer] - the page, where it is there
 * @property {string | null} [undo] - names the save for the next page, which can take it back
 * @property {string | null} [progress] - of the queue after the save
 * @property {string | null} [expected] - the address to which it leads now
 * @property {boolean} [isFresh] - whether the page in sight shows what was saved
 * @property {Leaving | null} [onward] - where it goes after a stay
 */
/** @type {Leaving | null} */
let leaving = null;
/** @type {(() => Promise<void>)[]} */
const tasks = [];
/** @type {string[]} */
const waiting = [];
let working = false;
let unsaved = false;
let lastSaved = "";
/** @type {Map<string, string>} */
let sent = new Map();

function stored(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(name);
    localStorage.setItem(name, value);
  } catch {
    // A browser may keep nothing: then each page begins anew.
  }
  return null;
}

/** @returns {HTMLFormElement | null} */
const judgeForm = () => document.querySelector(/** @type {"form"} */ ("#judge"));

/** @returns {HTMLInputElement | null} */
const keysOn = () => document.querySelector(/** @type {"input"} */ ("#keys-on"));

function tell(text) {
  told.textContent = text;
  told.classList.toggle("vh", text === "");
}

/* Keys. */

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.altKey) return;
  /** @type {HTMLDialogElement | null} */
  const dialog = document.querySelector("dialog[open]");
  if (dialog) {
    if (event.key === "?") dialog.close();
    return;
  }
  const control = event.ctrlKey || event.metaKey;
  const key = control ? `Control+${event.key}` : event.key;
  const target = /** @type {HTMLElement} */ (event.target);
  const types = target.closest?.(typing);
  if (types && key === "Escape") {
    leaveField(target);
    event.preventDefault();
    return;
  }
  if ((types && !control) || (!control && keysOn()?.checked === false)) return;
  if (key.startsWith("Arrow") && target.matches?.("[tabindex='0']")) return; // it scrolls
  if (event.repeat && saving.has(key)) {
    event.preventDefault(); // a key that is held down judges one session
  } else if (working) {
    if (key.length > 1 && key !== "Escape" && !elementOf(key)) return;
    waiting.push(key);
    event.preventDefault();
  } else if (act(key)) {
    event.preventDefault();
  }
});

function act(key) {
  tell("");
  lastSaved = saving.has(key) && key !== "y" ? key : "";
  if (pressedInList(key) || pressedInTurn(key)) return true;
  const element = elementOf(key);
  return element ? use(element) : false;
}

/** @returns {any} the HTML element that has a key */
function elementOf(key) {
  const keyed = [...document.querySelectorAll(/** @type {"button"} */ ("[data-key]"))];
  return keyed.find((element) => element.dataset.key?.split(" ").includes(key));
}

function use(element) {
  if (element.disabled) return false;
  if (element.matches("details")) {
    element.open = !element.open;
    if (element.open) element.scrollIntoView({ block: "nearest" });
  } else if (element.matches("input, textarea")) {
    const folded = element.closest("details");
    if (folded) folded.open = true;
    element.focus();
  } else {
    element.click();
  }
  return true;
}

/** Leaves a field: the keys are for the session again, or for the turn that the field is about. */
function leaveField(field) {
  const turn = formInFocus();
  if (turn) enter(turn);
  else field.blur();
}

/** Obeys a key that waited: a letter goes into the field that an earlier one led to. */
function obey(key) {
  const field = /** @type {HTMLTextAreaElement} */ (document.activeElement);
  if (field.matches(typing) && key === "Escape") {
    leaveField(field);
    return;
  }
  if (!field.matches(typing) || key.startsWith("Control+")) act(key);
  else if (key.length === 1)
    field.setRangeText(key, field.selectionStart, field.selectionEnd, "end");
  if (field.matches(typing) && field.closest("#judge")) unsaved = true;
}

/* One thing after the other: what is sent, the keys that waited, then the next page. */

async function work() {
  if (working) return;
  working = true;
  try {
    while (tasks.length || waiting.length || leaving) await workOnce();
  } catch {
    waiting.length = 0;
    leaving = null;
    unsaved = judgeForm() !== null;
    tell("The desk does not answer, and the last change may not be saved. Try again.");
  }
  working = false;
}

async function workOnce() {
  const task = tasks.shift();
  if (task) {
    await task();
    return;
  }
  const key = leaving?.kind === "stay" ? undefined : waiting.shift();
  if (key !== undefined) {
    if (leaving?.kind === "next" && !leaving.isFresh && !saving.has(key)) {
      leaving.isFresh = true; // the key finds the page with what was saved
      leaving = { href: location.href, kind: "stay", onward: leaving };
      waiting.unshift(key);
      return;
    }
    if (leaving?.kind !== "next" || key !== lastSaved) obey(key); // else it is saved so already
    const isAtWork =
      document.activeElement?.matches(typing) || document.querySelector("dialog[open]");
    if (isAtWork && !tasks.length) leaving = null; // the session in sight is not done yet
    return;
  }
  const goal = leaving;
  if (!goal) return;
  goal.answer ??= await pageAt(goal.href, goal.expected);
  if (leaving !== goal || tasks.length || (waiting.length && goal.kind !== "stay")) return;
  leaving = goal.onward ?? null;
  arrive(goal, goal.answer);
}

/**
 * Shows the page that a key, a link or a form led to.
 *
 * @param {Leaving} goal - how it was led to
 * @param {XMLHttpRequest} answer - the page
 */
function arrive(goal, answer) {
  if (goal.kind === "stay") {
    const later = typedLater();
    refresh(answer);
    later();
  } else {
    unsaved = false;
    show(answer, answer.status < 400);
  }
  const form = judgeForm();
  if (form && goal.undo) {
    /** @type {HTMLButtonElement | null} */
    const button = form.querySelector("[data-take-back]");
    const last = /** @type {HTMLInputElement} */ (form.elements.namedItem("last"));
    last.value = goal.undo;
    if (button) {
      button.formAction = button.dataset.takeBack ?? "";
      button.disabled = false;
    }
  }
  const progress = document.querySelector("#progress");
  if (progress && goal.progress) progress.textContent = goal.progress;
  if (goal.kind !== "stay") tell("");
  setUp();
}

/** Keeps what was typed since the form was sent; returns a function that puts it back. */
function typedLater() {
  const form = judgeForm();
  const active = document.activeElement?.id;
  const open = [...(form?.querySelectorAll("details") ?? [])].map((details) => details.open);
  const typed = fieldsOf(form).filter(([id, value]) => sent.get(id) !== value);
  return () => {
    for (const [id, value] of typed) {
      const field = /** @type {HTMLTextAreaElement | null} */ (document.getElementById(id));
      if (field) field.value = value;
    }
    for (const [place, details] of [
      ...(judgeForm()?.querySelectorAll("details") ?? []),
    ].entries()) {
      details.open = open[place] ?? details.open;
    }
    if (active) document.getElementById(active)?.focus({ preventScroll: true });
    unsaved = typed.length > 0;
  };
}

/** @returns {[string, string][]} the fields that are typed into, by their ids */
function fieldsOf(form) {
  /** @type {HTMLTextAreaElement[]} */
  const fields = [...(form?.querySelectorAll("textarea, input:not([type])") ?? [])];
  return fields.map((field) => [field.id, field.value]);
}

/* Forms: nothing is sent twice, and nothing typed is lost without a word. */

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  form.removeAttribute("data-unsaved");
  if (form.id !== "judge") return;
  event.preventDefault();
  if (document.querySelector("[data-unsaved]")) {
    tell("What you typed of a turn is not saved yet: save it there first.");
    return;
  }
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  if (unsaved && button?.hasAttribute("data-drops")) {
    tell("What you typed is not saved yet: save it before you leave it.");
    return;
  }
  send(form, button);
  void work();
});

function send(form, button) {
  const fields = new URLSearchParams(/** @type {any} */ (new FormData(form, button)));
  const action = button?.hasAttribute("formaction") ? button.formAction : form.action;
  const leads = !form.dataset.done || button?.hasAttribute("data-leads");
  const goesOn =
    leaving?.kind === "next" ||
    (fields.has("then") ? fields.get("then") === "next" : isStatus(fields) && !fields.has("stay"));
  sent = new Map(fieldsOf(form));
  unsaved = false;
  tasks.push(async () => {
    const version = form.elements.version;
    if (version) fields.set("version", version.value); // an earlier save left another one
    if (!leads) fields.set("answer", "short");
    const answer = await ask("POST", action, fields);
    if (answer.status >= 400) waiting.length = 0; // they were for what was not saved
    if (answer.status === 204) saved(form, fields, answer, goesOn);
    else leaving = { href: answer.responseURL, kind: "step", answer };
  });
}

const isStatus = (fields) => fields.has("evalStatus") && fields.has("onward");

function saved(form, fields, answer, goesOn) {
  form.elements.version.value = (answer.getResponseHeader("ETag") ?? "").replaceAll('"', "");
  if (goesOn && unsaved) {
    tell("Saved. What you typed since is not saved yet.");
    return;
  }
  /** @type {Leaving} */
  const next = {
    href: form.dataset.done,
    kind: "next",
    undo: answer.getResponseHeader("Desk-Undo"),
    progress: decodeURIComponent(answer.getResponseHeader("Desk-Progress") ?? ""),
    expected: answer.getResponseHeader("Desk-Next"),
  };
  const isNews = fields.has("mark") || fields.has("use"); // the fields of the form are others now
  if (goesOn && !isNews) leaving = next;
  else leaving = { href: location.href, kind: "stay", onward: goesOn ? next : null };
}

document.addEventListener("input", ({ target }) => {
  const field = /** @type {HTMLElement} */ (target);
  field.closest(".turn form")?.setAttribute("data-unsaved", "");
  if (field.closest("#judge") && !field.matches("[data-stay]")) unsaved = true;
});
addEventListener("beforeunload", (event) => {
  if (unsaved || document.querySelector("[data-unsaved]")) event.preventDefault();
});

/* Links of a session to others, and the ways back. */

document.addEventListener("click", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const opens = target.closest("[data-opens]");
  if (opens) openKeys();
  if (target.closest("[data-folds]")) fold();
  const copies = /** @type {HTMLElement | null} */ (target.closest("[data-copies]"));
  if (copies) void copyText(copies, tell);
  const link = /** @type {HTMLAnchorElement | null} */ (
    target.closest(".near a, [data-row], [data-step]")
  );
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey;
  if (
    !link ||
    !plain ||
    unsaved ||
    document.querySelector("[data-unsaved]") ||
    link.pathname.endsWith("/raw")
  )
    return;
  event.preventDefault();
  leaving = { href: link.href, kind: "step" };
  void work();
});
addEventListener("popstate", () => {
  if (!isElsewhere()) return;
  if (unsaved && !confirm("What you typed is not saved. Leave it?")) {
    history.forward();
    return;
  }
  leaving = { href: location.href, kind: "step" };
  void work();
});

/* The list of keys, and whether they work. */

function openKeys() {
  const dialog = /** @type {HTMLDialogElement} */ (document.querySelector("#keys"));
  dialog.showModal();
  dialog.querySelector("button")?.focus(); // not the box: a space would switch the keys off
}

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  if (target.id === "keys-on") stored("desk-keys", target.checked ? "on" : "off");
  if (target.matches("[data-stay]")) stored("desk-stay", target.checked ? "on" : "off");
});

/* What each page needs once it is there. */

function setUp() {
  const on = keysOn();
  if (on) on.checked = stored("desk-keys") !== "off";
  /** @type {HTMLInputElement | null} */
  const stay = document.querySelector("[data-stay]");
  if (stay) stay.checked = stored("desk-stay") === "on";
  countChecked();
  markFound();
  const next = judgeForm()?.dataset.done;
  if (next) fetchAhead(next);
}

/* A form whose page shows the result of its choices: another choice asks for the page again. */

document.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLSelectElement && target.form?.matches("[data-submits]")) {
    target.form.requestSubmit();
  }
});

setUp();
/** @type {{earlyKeys?: string[]}} */
const early = /** @type {any} */ (window);
if (keysOn()?.checked !== false) waiting.push(...(early.earlyKeys ?? []));
delete early.earlyKeys;
void work();
