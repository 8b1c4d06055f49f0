// The renderer's own copy of the page's document, made from the changes that the page's process sends:
// plain nodes, in a document whose scripts never run.

import { JSDOM } from "jsdom";

import { installQuickStyles } from "./style.mjs";
import { list, text } from "../told.mjs";

const HTML = "http://www.w3.org/1999/xhtml";
const EMPTY = "<!doctype html><html lang='en'><head></head><body></body></html>";
const MOST_NODES = 200_000;

export class Copy {
  #document;
  #nodes = new Map();
  #ids = new Map();
  /** What controls hold, by their element. */
  #states = new Map();
  /** Counts up with every change. */
  version = 0;

  constructor() {
    const { window } = new JSDOM(EMPTY, { url: "http://page.test/" });
    installQuickStyles(window);
    this.#document = window.document;
  }

  get body() {
    return this.#document.body ?? this.#document.createElement("body");
  }

  /** Forgets the page that was. */
  clear() {
    this.#nodes.clear();
    this.#ids.clear();
    this.#states.clear();
    this.#document.documentElement?.replaceWith(this.#document.createElement("html"));
    this.version += 1;
  }

  /** Returns the number by which the page's process knows an element. */
  idOf(element) {
    return this.#ids.get(element);
  }

  /**
   * Makes changes as they were told. Throws where they are none.
   *
   * @param {any} told
   */
  change({ changes, gone, states }) {
    for (const change of list(changes)) this.#change(change);
    for (const id of list(gone)) this.#drop(id);
    for (const { of, ...state } of list(states)) this.#states.set(this.#node(of), state);
    if (this.#nodes.size > MOST_NODES) throw new Error("the page has too many elements");
    if (changes !== undefined || states !== undefined) {
      // Of all, not of those that changed: attributes and options change what controls hold, too.
      for (const [control, state] of this.#states) hold(control, state);
      this.version += 1;
    }
  }

  #change({ of, children, attributes, data }) {
    if (children !== undefined) {
      const arranged = list(children).map((child) => this.#child(child));
      arrange(of === 0 ? this.#document : this.#node(of), arranged);
    } else if (attributes !== undefined) setAttributes(this.#node(of), list(attributes));
    else this.#node(of).data = text(data);
  }

  #child(told) {
    return typeof told === "number" ? this.#node(told) : this.#make(told);
  }

  #make({ id, text: content, comment, name, namespace, attributes, children }) {
    if (content !== undefined) return this.#keep(id, this.#document.createTextNode(text(content)));
    if (comment !== undefined) return this.#keep(id, this.#document.createComment(text(comment)));
    const element = this.#element(text(name), namespace === undefined ? HTML : namespace);
    setAttributes(element, list(attributes));
    for (const child of list(children)) element.append(this.#child(child));
    return this.#keep(id, element);
  }

  #element(name, namespace) {
    try {
      return this.#document.createElementNS(namespace, name);
    } catch {
      // A name that only parsers make.
      return this.#document.createElementNS(namespace, "unknown");
    }
  }

  #keep(id, node) {
    this.#nodes.set(id, node);
    this.#ids.set(node, id);
    return node;
  }

  #drop(id) {
    const node = this.#nodes.get(id);
    this.#nodes.delete(id);
    this.#ids.delete(node);
    this.#states.delete(node);
  }

  #node(id) {
    const node = this.#nodes.get(id);
    if (node === undefined) throw new Error("it tells of a node that is not there");
    return node;
  }
}

/** Gives a parent its children, and leaves those in place that were there. */
function arrange(parent, children) {
  const staying = new Set(children);
  const isDoctype = (node) => node.nodeType === node.DOCUMENT_TYPE_NODE;
  for (const child of [...parent.childNodes]) {
    if (!staying.has(child) && !isDoctype(child)) child.remove();
  }
  let place = parent.firstChild;
  if (place && isDoctype(place)) place = place.nextSibling;
  for (const child of children) {
    if (child === place) place = place.nextSibling;
    else parent.insertBefore(child, place);
  }
}

function setAttributes(element, attributes) {
  const names = new Set(attributes.map(([name]) => name));
  for (const { name } of [...element.attributes])
    if (!names.has(name)) element.removeAttribute(name);
  for (const [name, value, namespace = null] of attributes) {
    if (element.getAttribute(name) === value) continue;
    try {
      element.setAttributeNS(namespace, name, text(value));
    } catch {
      // A name that only parsers make; nothing looks for it.
    }
  }
}

function hold(control, { value, checked, selected }) {
  if (selected !== undefined) {
    const chosen = new Set(list(selected));
    for (const [index, option] of [...control.options].entries()) {
      if (option.selected !== chosen.has(index)) option.selected = chosen.has(index);
    }
    return;
  }
  if (checked !== undefined && control.checked !== checked) control.checked = checked === true;
  // The name of a file is nobody's to set.
  if (control.type === "file" || control.value === value) return;
  control.value = text(value);
}
