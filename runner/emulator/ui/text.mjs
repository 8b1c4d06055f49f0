// The visible text of a page, without hidden parts; each block is a line.

import { INLINE } from "./style.mjs";

/** The controls, which are separated from the text around them, even in the same line. */
const CONTROLS = new Set(["BUTTON", "SELECT", "INPUT", "TEXTAREA"]);
const [ELEMENT, TEXT] = [1, 3];
const UNSEEN = new Set(["SCRIPT", "STYLE", "TEMPLATE", "HEAD", "NOSCRIPT"]);

/** Returns the visible text of a node, with whitespace collapsed within lines. */
export function visibleText(node) {
  const lines = textOf(node)
    .split("\n")
    .map((line) => line.replace(/\s+/g, " ").trim());
  return lines.filter((line) => line !== "").join("\n");
}

function textOf(node) {
  if (node.nodeType === TEXT) return node.data.replace(/\s+/g, " ");
  if (node.nodeType !== ELEMENT || isHidden(node)) return "";
  if (node.tagName === "BR") return "\n";
  const text = [...node.childNodes].map(textOf).join("");
  if (node.tagName === "OPTION") return `\n${text}\n`;
  if (CONTROLS.has(node.tagName)) return ` ${text} `;
  return INLINE.has(node.tagName) ? text : `\n${text}\n`;
}

/** Returns true if an element itself is hidden; elements that contain it are not checked. */
export function isHidden(element) {
  if (UNSEEN.has(element.tagName) || element.hidden) return true;
  const style = element.ownerDocument.defaultView.getComputedStyle(element);
  return style.display === "none" || style.visibility === "hidden";
}
