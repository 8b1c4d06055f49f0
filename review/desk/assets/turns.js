// Keys for the forms of turns. h and l lead from form to form. While the focus is in a form, its
// keys replace those of the session.

/** @returns {HTMLFormElement[]} */
const forms = () => [...document.querySelectorAll(/** @type {"form"} */ (".turn form"))];

/** @returns {HTMLFormElement | null} the form of a turn that has the focus */
export const formInFocus = () =>
  document.activeElement?.closest(/** @type {"form"} */ (".turn form")) ?? null;

/** Obeys a key of turns; returns whether it was one. */
export function pressedInTurn(key) {
  if (key === "h" || key === "l") return step(key === "h" ? -1 : 1);
  const form = formInFocus();
  if (!form) return false;
  if (key === "Escape") {
    /** @type {HTMLElement} */ (document.activeElement).blur();
    return true;
  }
  const keyed = [...form.querySelectorAll(/** @type {"button"} */ ("[data-turn-key]"))];
  const element = keyed.find((control) => control.dataset.turnKey === key);
  if (!element) return false;
  if (element.matches("textarea")) {
    element.focus();
  } else {
    form.dataset.sentBy = "key";
    element.click();
  }
  return true;
}

/** Leads to the form of another turn: at first to the last one, or the first. */
function step(direction) {
  const all = forms();
  if (!all.length) return false;
  const form = formInFocus();
  const index = form ? all.indexOf(form) + direction : direction < 0 ? all.length - 1 : 0;
  enter(all[Math.max(0, Math.min(index, all.length - 1))]);
  return true;
}

/**
 * Updates the labels of turns, but not in a form that somebody is using or that has unsaved changes.
 * The focus stays in a form that was sent by a key, on its first button.
 *
 * @param {Document} page - the new version of the page
 */
export function swapTurns(page) {
  const all = forms();
  /** @type {HTMLFormElement[]} */
  const anew = [...page.querySelectorAll(/** @type {"form"} */ (".turn form"))];
  const inFocus = formInFocus();
  for (const form of all) {
    const made = anew.find((other) => other.action === form.action);
    const old = form.closest("details");
    const details = made?.closest("details");
    const isAtWork = form === inFocus && !form.dataset.sentBy;
    if (!made || !old || !details || isAtWork || form.hasAttribute("data-unsaved")) continue;
    details.open = old.open;
    old.replaceWith(document.adoptNode(details));
    if (form === inFocus && form.dataset.sentBy === "key") {
      made.querySelector("button")?.focus({ preventScroll: true });
    }
  }
}

/** Opens the form of a turn and takes the focus there, from where its keys work. */
export function enter(form) {
  const details = form.closest("details");
  details.open = true;
  form.querySelector("button")?.focus({ preventScroll: true });
  details.scrollIntoView({ block: "nearest" });
}
