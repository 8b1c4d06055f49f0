// Colours code by its syntax. Pages hold plain code and can be read without this; Prism takes the
// code apart, and elements are made here, so that no text of an answer is ever read as HTML.

import { element } from "./elements.js";
import Prism from "./prism.js";

const LANGUAGES = {
  ts: "typescript",
  tsx: "tsx",
  js: "javascript",
  mjs: "javascript",
  jsx: "jsx",
  json: "json",
  css: "css",
  html: "markup",
  md: "markdown",
};

/** The classes of the style sheet by Prism's kinds of tokens; a kind without one has its parent's. */
const CLASSES = {
  comment: "k-c",
  keyword: "k-k",
  boolean: "k-k",
  string: "k-s",
  "template-string": "k-s",
  "string-property": "k-s",
  "attr-value": "k-s",
  property: "k-s",
  regex: "k-s",
  number: "k-n",
  function: "k-f",
  "class-name": "k-f",
  tag: "k-f",
  "attr-name": "",
  interpolation: "",
  script: "",
  "plain-text": "",
};

/** A longer file, or one with a longer line, stays plain. */
const MOST = 200_000;
const LONGEST_LINE = 2_000;

/* The lines of a file, each as a list of texts and elements. */
export function colouredLines(path, text) {
  const grammar = Prism.languages[LANGUAGES[path.slice(path.lastIndexOf(".") + 1)]];
  const plain = text.split("\n");
  if (!grammar || text.length > MOST || plain.some((line) => line.length > LONGEST_LINE)) {
    return plain.map((line) => [line]);
  }
  /** @type {(string | HTMLElement)[][]} */
  const lines = [[]];
  const add = (token, kind) => {
    if (typeof token !== "string") {
      for (const part of [token.content].flat()) add(part, CLASSES[token.type] ?? kind);
      return;
    }
    token.split("\n").forEach((piece, number) => {
      if (number) lines.push([]);
      if (piece) lines.at(-1)?.push(kind ? element("span", { className: kind }, piece) : piece);
    });
  };
  for (const token of Prism.tokenize(text, grammar)) add(token, "");
  return lines;
}

function colourBlock(block) {
  const lines = colouredLines(block.dataset.path, block.textContent);
  block.replaceChildren(...lines.flatMap((line, number) => (number ? ["\n", ...line] : line)));
}

/* One side of a table of differences; a hidden word may stand before a line. */
function colourSide(table, side) {
  const cells = [...table.querySelectorAll(`tbody ${side}:not(.none)`)];
  const texts = cells.map((cell) => cell.lastChild).map((last) => (last?.data ? last : null));
  const whole = texts.map((text) => text?.data ?? "").join("\n");
  colouredLines(table.dataset.path, whole).forEach((line, number) =>
    texts[number]?.replaceWith(...line),
  );
}

// Code in a folded section is coloured when a reader opens it: a page has the code of many attempts.
for (const block of document.querySelectorAll("pre.code[data-path]")) {
  const folded = block.closest("details.attempt:not([open])");
  if (folded) folded.addEventListener("toggle", () => colourBlock(block), { once: true });
  else colourBlock(block);
}
for (const table of document.querySelectorAll("table.diff[data-path]")) {
  colourSide(table, ".a");
  colourSide(table, ".r");
}
