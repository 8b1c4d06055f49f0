// How a reader finds things on a page: by role and name, by label, beside a text.

import { queryAllByLabelText } from "@testing-library/dom";
import { computeAccessibleName, getRole } from "dom-accessibility-api";

import { isHidden, visibleText } from "./text.mjs";

/** What `within` looks for a text in, to tell apart controls of the same name. */
const PARTS = "li, tr, article, section, fieldset, form, dialog, [role], div";
const CONTROLS = new Set(["BUTTON", "INPUT", "SELECT", "TEXTAREA", "OPTGROUP", "OPTION"]);
const TYPED_INTO = new Set(
  "text date datetime-local email month number password search tel time url week".split(" "),
);

/** Finds what a reader can reach of a role and accessible name. */
export function withRole(body, role, name) {
  // The testing library's search asks each element for each role that there is.
  const ofRole = [...body.getElementsByTagName("*")].filter((element) => getRole(element) === role);
  return ofRole.filter(
    (element) => computeAccessibleName(element) === name && !liesHidden(element),
  );
}

/** Finds the fields of a label. */
export function labelled(body, label) {
  return queryAllByLabelText(body, label).filter((element) =>
    element.matches("input, textarea, select, [contenteditable]"),
  );
}

/** Keeps the elements in the smallest part of the page that shows the text. */
export function beside(elements, within) {
  if (!within) return elements;
  const shows = remembered((part) => visibleText(part).includes(within));
  const depths = elements.map((element) => stepsTo(element, shows));
  const nearest = Math.min(...depths);
  return elements.filter((_, index) => depths[index] === nearest && nearest < Infinity);
}

/** Tells whether a control takes no clicks and no keys: it, or what it is a part of, is disabled. */
export function isDisabled(element) {
  for (let part = element; part; part = part.parentElement) {
    if (!part.hasAttribute("disabled")) continue;
    if (CONTROLS.has(part.tagName)) return true;
    const isFieldset = part.tagName === "FIELDSET";
    if (isFieldset && !part.querySelector(":scope > legend")?.contains(element)) return true;
  }
  return false;
}

/** Tells whether a reader can type into a field. */
export function isEditable(element) {
  if (isDisabled(element)) return false;
  if (element.matches("input, textarea")) {
    return !element.readOnly && (element.tagName === "TEXTAREA" || TYPED_INTO.has(element.type));
  }
  return element.matches("[contenteditable='']:not(select), [contenteditable=true]");
}

/** Finds an option of a drop-down, by its value or by what it shows. */
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

/** Asks once for each thing: the parts around several elements are largely the same. */
function remembered(ask) {
  const known = new Map();
  return (thing) => {
    if (!known.has(thing)) known.set(thing, ask(thing));
    return known.get(thing);
  };
}
