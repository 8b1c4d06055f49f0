// The changes of a page as plain data: numbered nodes, and the values of controls.
//
// jsdom's internal nodes are read instead of their wrappers for scripts. So a component that replaces methods of
// elements has no effect here.

import { implForWrapper, wrapperForImpl } from "jsdom/lib/jsdom/living/generated/utils.js";

const [ELEMENT, TEXT, COMMENT] = [1, 3, 8];
const HTML = "http://www.w3.org/1999/xhtml";
const EVERYTHING = { attributes: true, characterData: true, childList: true, subtree: true };

/** The next number of a node. Numbers continue from page to page, so that all nodes of a process differ. */
let next = 1;

export class Changes {
  #observer;
  #root;
  #isNew = true;
  #ids = new Map();
  /** The nodes by number. A node that was sent again keeps its old numbers too, which commands may still use. */
  #nodes = new Map();
  #gone = [];
  /** The values of controls that were last sent, as text. */
  #controls = new Map();
  #dirty = { attributes: new Set(), childList: new Set(), characterData: new Set() };

  /**
   * @param {import("jsdom").DOMWindow} window
   * @param {() => void} notify is called after a change
   */
  constructor(window, notify) {
    const observer = new window.MutationObserver((records) => {
      this.#note(records);
      notify();
    });
    observer.observe(window.document, EVERYTHING);
    this.#observer = implForWrapper(observer);
    this.#root = implForWrapper(window.document);
  }

  /** Returns the element with a number, as its wrapper for scripts. */
  element(id) {
    return wrapperForImpl(this.#nodes.get(id));
  }

  /** Returns the changes since the last call; an object without fields if there are none. */
  take() {
    this.#note(this.#observer.takeRecords());
    const changes = this.#isNew ? [this.#children(this.#root)] : this.#known();
    this.#isNew = false;
    const gone = this.#gone;
    this.#gone = [];
    const states = this.#states();
    return {
      ...(changes.length > 0 ? { changes } : {}),
      ...(gone.length > 0 ? { gone } : {}),
      ...(states.length > 0 ? { states } : {}),
    };
  }

  #note(records) {
    for (const record of records.map(implForWrapper)) {
      this.#dirty[record.type].add(record.target);
      // A node that was moved is sent again, because it may have changed while it was not observed.
      for (const node of record._addedNodes) this.#forget(node);
      for (const node of record._removedNodes) this.#forget(node);
    }
  }

  #forget(node) {
    const id = this.#ids.get(node);
    if (id !== undefined) {
      this.#gone.push(id);
      this.#ids.delete(node);
      this.#controls.delete(node);
    }
    for (const child of childrenOf(node)) this.#forget(child);
  }

  /** Returns the changes of nodes that were sent before; new nodes are sent with all their content. */
  #known() {
    const { attributes, childList, characterData } = this.#dirty;
    this.#dirty = { attributes: new Set(), childList: new Set(), characterData: new Set() };
    const isKnown = (node) => node === this.#root || this.#ids.has(node);
    const parents = [...childList].filter(isKnown);
    const elements = [...attributes].filter(isKnown);
    const texts = [...characterData].filter(isKnown);
    return [
      ...parents.map((node) => this.#children(node)),
      ...elements.map((node) => ({ of: this.#ids.get(node), attributes: attributesOf(node) })),
      ...texts.map((node) => ({ of: this.#ids.get(node), data: node.data })),
    ];
  }

  #children(node) {
    const of = node === this.#root ? 0 : this.#ids.get(node);
    return { of, children: this.#tellChildren(node) };
  }

  #tellChildren(node) {
    return childrenOf(node).map((child) => this.#ids.get(child) ?? this.#tell(child));
  }

  /** Returns the description of a node with all nodes below it. */
  #tell(node) {
    const id = next++;
    this.#ids.set(node, id);
    this.#nodes.set(id, node);
    if (node.nodeType === TEXT) return { id, text: node.data };
    if (node.nodeType === COMMENT) return { id, comment: node.data };
    const { localName: name, namespaceURI: namespace } = node;
    if (namespace === HTML && holds[name]) this.#controls.set(node, undefined);
    return {
      id,
      name,
      ...(namespace === HTML ? {} : { namespace }),
      attributes: attributesOf(node),
      children: this.#tellChildren(node),
    };
  }

  #states() {
    const states = [];
    for (const [control, told] of this.#controls) {
      const state = holds[control.localName](control);
      const content = JSON.stringify(state);
      if (content === told) continue;
      this.#controls.set(control, content);
      states.push({ of: this.#ids.get(control), ...state });
    }
    return states;
  }
}

/** The values of controls that users see and that no attribute has, by the names of elements. */
const holds = {
  __proto__: null,
  input: ({ value, checked }) => ({ value, checked }),
  textarea: ({ value }) => ({ value }),
  select: ({ options }) => ({
    selected: Array.from({ length: options.length }, (_, index) => index).filter(
      (index) => options.item(index).selected,
    ),
  }),
};

function attributesOf(node) {
  return node._attributeList.map(({ name, namespaceURI, value }) =>
    namespaceURI === null ? [name, value] : [name, value, namespaceURI],
  );
}

/** Returns the elements, texts and comments that are children of a node. */
function childrenOf(node) {
  const children = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    const type = child.nodeType;
    if (type === ELEMENT || type === TEXT || type === COMMENT) children.push(child);
  }
  return children;
}
