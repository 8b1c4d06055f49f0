// The renderer's copy of the page's document, which is made of the changes that the page's process sends. It
// has plain nodes, in a document whose scripts never run.

import { JSDOM } from "jsdom";

import { installQuickStyles } from "./style.mjs";
import { list, text } from "../checked_values.mjs";

const HTML = "http://www.w3.org/1999/xhtml";
const EMPTY = "<!doctype html><html lang='en'><head></head><body></body></html>";
const MOST_NODES = 200_000;

export class Copy {
  #document;
  #nodes = new Map();
  #ids = new Map();
  /** The values of controls, by element. */
  #states = new Map();
  /** The number of changes so far. */
  version = 0;

  constructor() {
    const { window } = new JSDOM(EMPTY, { url: "http://page.test/" });
    installQuickStyles(window);
    this.#document = window.document;
  }

  get body() {
    return this.#document.body ?? this.#document.createElement("body");
  }

  /** Removes the present page. */
  clear() {
    this.#nodes.clear();
    this.#ids.clear();
    this.#states.clear();
    this.#document.documentElement?.replaceWith(this.#document.createElement("html"));
    this.version += 1;
  }

  /** Returns the number of an element in messages to the page's process. */
  idOf(element) {
    return this.#ids.get(element);
  }

  /**
   * Makes the changes of a message. Throws if the message has a wrong form.
   *
   * @param {any} told
   */
  change({ changes, gone, states }) {
    for (const change of list(changes)) this.#change(change);
    for (const id of list(gone)) this.#drop(id);
    for (const { of, ...state } of list(states)) this.#states.set(this.#node(of), state);
    if (this.#nodes.size > MOST_NODES) throw new Error("the page has too many elements");
    if (changes !== undefined || states !== undefined) {
      // The values of all controls are set again, because changed attributes and options change them, too.
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
      // Only parsers can make elements with this name.
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

/** Sets the children of a parent; children that it already had are not moved unnecessarily. */
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
      // Only parsers can make attributes with this name; no code here reads them.
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
  // The value of a file field cannot be set.
  if (control.type === "file" || control.value === value) return;
  control.value = text(value);
}
