// The changes of a page, as plain data: nodes by number, and the values of controls.
//
// jsdom's own nodes are read, not their wrappers for scripts: a component that replaces methods of
// elements changes nothing here.

import { implForWrapper } from "jsdom/lib/jsdom/living/generated/utils.js";

const [ELEMENT, TEXT, COMMENT] = [1, 3, 8];
const HTML = "http://www.w3.org/1999/xhtml";
const EVERYTHING = { attributes: true, characterData: true, childList: true, subtree: true };

/** The numbers go on from page to page, so that no two nodes of a process share one. */
let next = 1;

export class Changes {
  #observer;
  #root;
  #isNew = true;
  #ids = new Map();
  /** The nodes by number; one that was told anew keeps its old numbers, which may be on their way. */
  #nodes = new Map();
  #gone = [];
  /** What controls held when it was last told, as text. */
  #controls = new Map();
  #dirty = { attributes: new Set(), childList: new Set(), characterData: new Set() };

  /**
   * @param {import("jsdom").DOMWindow} window
   * @param {() => void} notify is called when something changed
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

  /** Returns the element of a number, as scripts see it. */
  element(id, wrapperForImpl) {
    return wrapperForImpl(this.#nodes.get(id));
  }

  /** Returns what changed since it was last asked; nothing where nothing did. */
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
      // What moved is told anew: it may have changed where nobody looked.
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

  /** Changes of nodes that were told of before; new nodes are told whole. */
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

  /** Tells of a node and all below it. */
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

/** What a reader sees in controls and no attribute says. */
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

/** The elements, texts and comments below a node. */
function childrenOf(node) {
  const children = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    const type = child.nodeType;
    if (type === ELEMENT || type === TEXT || type === COMMENT) children.push(child);
  }
  return children;
}
