// The text of a page as a reader sees it: hidden parts left out, blocks on lines of their own.

import { INLINE } from "./style.mjs";

/** What stands apart from the text around it, also where it flows with it. */
const CONTROLS = new Set(["BUTTON", "SELECT", "INPUT", "TEXTAREA"]);
const [ELEMENT, TEXT] = [1, 3];
const UNSEEN = new Set(["SCRIPT", "STYLE", "TEMPLATE", "HEAD", "NOSCRIPT"]);

/** Returns the visible text below a node, whitespace collapsed within lines. */
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

/** Says whether an element itself is not shown; what is around it is not looked at. */
export function isHidden(element) {
  if (UNSEEN.has(element.tagName) || element.hidden) return true;
  const style = element.ownerDocument.defaultView.getComputedStyle(element);
  return style.display === "none" || style.visibility === "hidden";
}
