// The search for elements of a page as users find them: by role and name, by label, beside a text.

import { queryAllByLabelText } from "@testing-library/dom";
import { computeAccessibleName, getRole } from "dom-accessibility-api";

import { isHidden, visibleText } from "./text.mjs";

/** The elements that can be the part of a page for `within`, which distinguishes controls with equal names. */
const PARTS = "li, tr, article, section, fieldset, form, dialog, [role], div";
const CONTROLS = new Set(["BUTTON", "INPUT", "SELECT", "TEXTAREA", "OPTGROUP", "OPTION"]);
const TYPED_INTO = new Set(
  "text date datetime-local email month number password search tel time url week".split(" "),
);

/** Returns the visible elements with a role and an accessible name. */
export function withRole(body, role, name) {
  // The testing library's own search is slow, because it checks all roles for each element.
  const ofRole = [...body.getElementsByTagName("*")].filter((element) => getRole(element) === role);
  return ofRole.filter(
    (element) => computeAccessibleName(element) === name && !liesHidden(element),
  );
}

/** Returns the fields with a label. */
export function withLabel(body, label) {
  return queryAllByLabelText(body, label).filter((element) =>
    element.matches("input, textarea, select, [contenteditable]"),
  );
}

/** Returns the elements in the smallest part of the page that shows the text. */
export function beside(elements, within) {
  if (!within) return elements;
  const shows = remember((part) => visibleText(part).includes(within));
  const depths = elements.map((element) => stepsTo(element, shows));
  const nearest = Math.min(...depths);
  return elements.filter((_, index) => depths[index] === nearest && nearest < Infinity);
}

/** Returns true if a control, or an element that contains it, is disabled, so that it takes no clicks and keys. */
export function isDisabled(element) {
  for (let part = element; part; part = part.parentElement) {
    if (!part.hasAttribute("disabled")) continue;
    if (CONTROLS.has(part.tagName)) return true;
    const isFieldset = part.tagName === "FIELDSET";
    if (isFieldset && !part.querySelector(":scope > legend")?.contains(element)) return true;
  }
  return false;
}

/** Returns true if a user can type into a field. */
export function isEditable(element) {
  if (isDisabled(element)) return false;
  if (element.matches("input, textarea")) {
    return !element.readOnly && (element.tagName === "TEXTAREA" || TYPED_INTO.has(element.type));
  }
  return element.matches("[contenteditable='']:not(select), [contenteditable=true]");
}

/** Returns the option of a drop-down with this value or this text; undefined if there is none. */
export function optionOf(select, text) {
  return [...select.querySelectorAll("option, [role=option]")].find(
    (option) => option.value === text || option.innerHTML === text,
  );
}

function liesHidden(element) {
  for (let part = element; part; part = part.parentElement) {
    if (isHidden(part) || part.getAttribute("aria-hidden") === "true") return true;
  }
  return false;
}

function stepsTo(element, shows) {
  let steps = 0;
  for (let part = element.closest(PARTS); part; part = part.parentElement?.closest(PARTS)) {
    if (shows(part)) return steps;
    steps += 1;
  }
  return Infinity;
}

/** Returns a function that calls `compute` only once for each part; elements share most parts around them. */
function remember(compute) {
  const results = new Map();
  return (part) => {
    if (!results.has(part)) results.set(part, compute(part));
    return results.get(part);
  };
}
