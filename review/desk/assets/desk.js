// The desk's keys, and help for its forms, which also work without this script.
// Elements name their key in data-key; what a key does depends on the element: a button or link is
// clicked, a field is focused, a details element is opened or closed.
//
// A key has its effect on the session that is shown when it is pressed. While a form is sent or a
// page is loaded, keys wait. They have their effect, in order, before another session is shown.

import { edits, elementOf, leaveField, type, typing, use } from "./fields.js";
import { addressInSight, ask, fetchAhead, isElsewhere, pageAt, refresh, show } from "./journey.js";
import { countChecked, pressedInList } from "./rows.js";
import { keysOn, openKeys, restoreSettings } from "./settings.js";
import { copyText, fold, markFound } from "./transcript.js";
import { formInFocus, pressedInTurn } from "./turns.js";
import { fieldsOf, typedLater } from "./typed.js";

const saving = new Set(["0", "1", "2", "3", "4", "y", "a", "r"]);
const verdict = "[name=evalStatus], [name=better], [name=class]";
const judging = `${verdict}, [name=use]`;
const notice = /** @type {HTMLElement} */ (document.querySelector("#told"));

/**
 * The page to which the window goes when no key waits.
 *
 * @typedef {object} Leaving
 * @property {string} href
 * @property {"step" | "next" | "stay"} kind - a link or another form; a save that leads to the next
 *   session; a save that stays
 * @property {XMLHttpRequest} [answer] - the page, if it is loaded already
 * @property {string | null} [undo] - the name of the save, by which the next page can take it back
 * @property {string | null} [progress] - the progress of the queue after the save
 * @property {string} [news] - the saved values of the session that is left
 * @property {string | null} [expected] - the address to which `href` leads now
 * @property {boolean} [isSaved] - whether a save leads to the page
 * @property {boolean} [isFresh] - whether the shown page has the saved labels
 * @property {Leaving | null} [onward] - the page after a save that stays
 */
/** @type {Leaving | null} */
let leaving = null;
/** @type {(() => Promise<void>)[]} */
const tasks = [];
/** @type {string[]} */
const waiting = [];
let working = false;
let sending = false;
let unsaved = false;
let lastSaved = "";
/** @type {Map<string, string>} */
let sent = new Map();

/** @returns {HTMLFormElement | null} */
const judgeForm = () => document.querySelector(/** @type {"form"} */ ("#judge"));

function tell(text) {
  notice.textContent = text;
  notice.classList.toggle("vh", text === "");
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
  if (event.repeat && elementOf(key)?.matches("[type=submit]")) {
    event.preventDefault(); // a key that is held down judges one session
  } else if (working) {
    if (key.length > 1 && !edits.has(key) && !elementOf(key)) return;
    waiting.push(key);
    event.preventDefault();
  } else if (act(key)) {
    event.preventDefault();
  }
});

function act(key) {
  tell("");
  lastSaved = elementOf(key)?.matches(judging) ? key : "";
  if (pressedInList(key) || pressedInTurn(key)) return true;
  const element = elementOf(key);
  return element ? use(element) : false;
}

/** Obeys a key that waited: a letter goes into the field that an earlier one led to. */
function obey(key) {
  const dialog = document.querySelector("dialog[open]");
  const field = /** @type {HTMLTextAreaElement} */ (document.activeElement);
  if (dialog) {
    if (key === "?" || key === "Escape") /** @type {HTMLDialogElement} */ (dialog).close();
  } else if (!field.matches(typing)) {
    if (key === "Enter" || (key === " " && field.matches("button, summary, input"))) field.click();
    else act(key);
  } else if (key === "Escape") {
    leaveField(field);
  } else if (key.length === 1 || edits.has(key)) {
    if ("setRangeText" in field) type(field, key);
  } else {
    act(key);
  }
}

/** Returns whether the next key judges what this one judges, so that only the next one counts. */
function isReplaced(key, next) {
  if (document.activeElement?.matches(typing) || formInFocus()) return false;
  return [key, next].every((each) => elementOf(each)?.matches(verdict));
}

/* The order: forms are sent, waiting keys have their effect, then the next page is shown. */

async function work() {
  if (working) return;
  working = true;
  try {
    while (tasks.length || waiting.length || leaving) await workOnce();
  } catch {
    sending = false;
    tasks.length = 0;
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
    sending = true;
    await task();
    sending = false;
    return;
  }
  const key = leaving?.kind === "stay" ? undefined : waiting.shift();
  if (key !== undefined) {
    if (leaving?.isSaved && key === lastSaved) return; // it is saved so already
    if (isReplaced(key, waiting[0])) return;
    if (leaving?.isSaved && !leaving.isFresh && !saving.has(key)) {
      leaving.isFresh = true; // the page has the saved labels for the key
      leaving = { href: addressInSight(), kind: "stay", onward: leaving };
      waiting.unshift(key);
      return;
    }
    obey(key);
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
 * Shows the page to which a key, a link or a form led.
 *
 * @param {Leaving} goal - the way to the page
 * @param {XMLHttpRequest} answer - the page
 */
function arrive(goal, answer) {
  if (goal.kind === "stay") {
    const restore = typedLater(judgeForm(), sent);
    refresh(answer);
    unsaved = restore(judgeForm());
  } else {
    unsaved = false;
    show(answer, answer.status < 400);
  }
  if (goal.undo) offerUndo(goal.undo);
  const progress = document.querySelector("#progress");
  if (progress && goal.progress) progress.textContent = goal.progress;
  if (goal.kind !== "stay") tell(goal.news ?? "");
  setUp();
}

/** Has the key u take a save back, or nothing where its name is empty. */
function offerUndo(save) {
  const form = judgeForm();
  /** @type {HTMLButtonElement | null | undefined} */
  const button = form?.querySelector("[data-take-back]");
  if (!form || !button) return;
  const last = /** @type {HTMLInputElement} */ (form.elements.namedItem("last"));
  last.value = save;
  button.formAction = button.dataset.takeBack ?? "";
  button.disabled = save === "";
  /** @type {HTMLTemplateElement | null} */
  const idle = document.querySelector("template[data-idle=u]");
  if (save) idle?.replaceWith(idle.content);
}

/* Forms: no form is sent twice, and no typed text is lost without a warning. */

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  form.removeAttribute("data-unsaved");
  if (form.matches(".turn form")) {
    event.preventDefault();
    form.dataset.sentBy ??= "pointer";
    send(form, button);
    void work();
    return;
  }
  if (form.id !== "judge") {
    if (form.hasAttribute("data-sent")) {
      event.preventDefault();
      tell("It was sent already: wait, or load the page again.");
    }
    form.toggleAttribute("data-sent", form.method === "post");
    return;
  }
  event.preventDefault();
  if (document.querySelector("[data-unsaved]")) {
    tell("What you typed of a turn is not saved yet: save it there first.");
    return;
  }
  if (unsaved && button?.hasAttribute("data-drops")) {
    tell("What you typed is not saved yet: save it before you leave it.");
    return;
  }
  send(form, button);
  void work();
});
addEventListener("pageshow", mayBeSentAgain);

function mayBeSentAgain() {
  for (const form of document.querySelectorAll("[data-sent]")) form.removeAttribute("data-sent");
}

function send(form, button) {
  tell("");
  const fields = new URLSearchParams(/** @type {any} */ (new FormData(form, button)));
  const action = button?.hasAttribute("formaction") ? button.formAction : form.action;
  const judges = form === judgeForm();
  const leads = !form.dataset.done || button?.hasAttribute("data-leads");
  const goesOn =
    leaving?.kind === "next" ||
    (fields.has("then") ? fields.get("then") === "next" : isStatus(fields) && !fields.has("stay"));
  sent = new Map(fieldsOf(judgeForm(), judges ? "value" : "defaultValue"));
  if (judges) unsaved = false;
  tasks.push(async () => {
    const version = judgeForm()?.elements.namedItem("version") ?? form.elements.version;
    if (version) fields.set("version", version.value); // an earlier save left another one
    if (!leads) fields.set("answer", "short");
    const answer = await ask("POST", action, fields);
    if (answer.status >= 400) waiting.length = 0; // they followed values that were not saved
    if (answer.status === 204) saved(form, fields, answer, goesOn);
    else leaving = ledBy(answer, form);
  });
}

/**
 * Returns the way to the page to which a form led.
 *
 * @param {XMLHttpRequest} answer - the answer to the form, with that page
 * @param {HTMLFormElement} form
 * @returns {Leaving}
 */
function ledBy(answer, form) {
  /** @type {HTMLFormElement | null} */
  const judged = answer.status < 400 ? answer.response?.querySelector("#judge") : null;
  const inSight = judgeForm();
  const href = answer.responseURL;
  if (judged && judged.action === inSight?.action) return { href, kind: "stay", answer };
  /** @type {HTMLInputElement | null | undefined} */
  const last = judged?.querySelector("[name=last]");
  if (last) offerUndo(last.value); // pressed again, the key takes the save before back
  return { href, kind: "step", answer, isSaved: form === inSight && !form.dataset.done };
}

const isStatus = (fields) => fields.has("evalStatus") && fields.has("onward");

/** Names the session that was saved, because the page that follows is of another session. */
function describeSave(fields) {
  if (!isStatus(fields)) return "";
  const status = fields.get("evalStatus");
  const isGolden = status === "golden" && fields.has("whole");
  const ready = isGolden && fields.get("evalReady") !== "yes" ? ", not eval-ready" : "";
  const words = status.replace("golden_ready", "golden and eval-ready").replaceAll("_", " ");
  const title = document.querySelector("h1")?.textContent ?? "";
  const short = title.length > 60 ? `${title.slice(0, 60)}…` : title;
  return `Saved as ${words}${ready}: ${short}. Key u leads back to it.`;
}

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
    isSaved: true,
    undo: answer.getResponseHeader("Desk-Undo"),
    news: describeSave(fields),
    progress: decodeURIComponent(answer.getResponseHeader("Desk-Progress") ?? ""),
    expected: answer.getResponseHeader("Desk-Next"),
  };
  // The fields of the form are others now.
  const isNews =
    fields.has("mark") || fields.has("use") || fields.get("evalStatus") === "golden_ready";
  if (goesOn && !isNews) leaving = next;
  else leaving = { href: addressInSight(), kind: "stay", onward: goesOn ? next : null };
}

document.addEventListener("input", ({ target }) => {
  const field = /** @type {HTMLElement} */ (target);
  field.closest(".turn form")?.setAttribute("data-unsaved", "");
  if (field.closest("#judge") && !field.matches("[data-stay]")) unsaved = true;
});
addEventListener("beforeunload", (event) => {
  if (!unsaved && !document.querySelector("[data-unsaved]")) return;
  event.preventDefault(); // the browser asks, and a person may stay
  mayBeSentAgain();
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
  leadTo(link.href);
});
addEventListener("popstate", () => {
  if (!isElsewhere()) return;
  if (unsaved && !confirm("What you typed is not saved. Leave it?")) {
    history.forward();
    return;
  }
  leadTo(location.href);
});

/** Goes to another page, once all that was sent before is saved. */
function leadTo(href) {
  const go = () => {
    if (!leaving?.answer || leaving.answer.status < 400) leaving = { href, kind: "step" };
  };
  if (tasks.length || sending) tasks.push(async () => go());
  else go();
  void work();
}

/* The preparation of each page after it was shown. */

function setUp() {
  restoreSettings();
  countChecked();
  markFound();
  const next = judgeForm()?.dataset.done;
  if (next) fetchAhead(next);
}

/* A form whose page shows the result of its choices; a changed choice loads the page again. */

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
