// Elements that have a key, and fields: the effect of keys on them, also of keys that waited.

import { enter, formInFocus } from "./turns.js";

export const typing =
  "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
/** Keys that wait for the field to which an earlier key leads. */
export const edits = new Set(["Escape", "Backspace", "Enter"]);

/** @returns {any} the HTML element that has a key */
export function elementOf(key) {
  const keyed = [...document.querySelectorAll(/** @type {"button"} */ ("[data-key]"))];
  return keyed.find((element) => element.dataset.key?.split(" ").includes(key));
}

/** Does what a key does with its element; returns whether it did anything. */
export function use(element) {
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
export function leaveField(field) {
  const turn = formInFocus();
  if (turn) enter(turn);
  else field.blur();
}

/** Does in a field what a key that waited would have done there. */
export function type(field, key) {
  if (key === "Enter" && !field.matches("textarea")) {
    field.form?.requestSubmit(field.form.querySelector("[type=submit]"));
    return;
  }
  const end = field.selectionEnd;
  const isErased = key === "Backspace" && field.selectionStart === end;
  const start = isErased ? Math.max(0, end - 1) : field.selectionStart;
  const text = { Backspace: "", Enter: "\n" }[key] ?? key;
  field.setRangeText(text, start, end, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
