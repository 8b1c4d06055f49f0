// Keeps what answers the grader as it is while a component's code runs in the same process.
//
// It closes what is known to be open: a page is still rendered in the process that answers for it
// (docs/clients.md says what that means).

/** What code assigns to on objects of its own, which a locked one in the prototype would forbid. */
/** @type {Set<string | symbol>} */
const ASSIGNED = new Set([
  "constructor",
  "toString",
  "toLocaleString",
  "valueOf",
  "toJSON",
  "name",
  "message",
  "stack",
]);
const LANGUAGE = [
  "Array",
  "ArrayBuffer",
  "BigInt",
  "Boolean",
  "Date",
  "Function",
  "JSON",
  "Map",
  "Math",
  "Number",
  "Object",
  "Promise",
  "Proxy",
  "Reflect",
  "RegExp",
  "Set",
  "String",
  "Symbol",
  "Uint8Array",
  "WeakMap",
  "WeakRef",
  "WeakSet",
];
const OF_PAGES = [
  "Attr",
  "CharacterData",
  "CSSStyleDeclaration",
  "Document",
  "DocumentFragment",
  "DOMTokenList",
  "Element",
  "Event",
  "EventTarget",
  "HTMLButtonElement",
  "HTMLCollection",
  "HTMLElement",
  "HTMLInputElement",
  "HTMLLabelElement",
  "HTMLOptionElement",
  "HTMLSelectElement",
  "HTMLTextAreaElement",
  "MutationObserver",
  "NamedNodeMap",
  "Node",
  "NodeList",
  "Text",
];

/** Makes the built-ins of a world, Node's or a window's, what they are for good. */
export function lockBuiltins(world) {
  for (const name of [...LANGUAGE, ...OF_PAGES]) {
    const builtIn = world[name];
    if (builtIn === undefined) continue;
    lock(builtIn);
    if (builtIn.prototype) lock(builtIn.prototype);
  }
  lock(world.Object.getPrototypeOf(new world.Map().entries()));
  lock(world.Object.getPrototypeOf([][Symbol.iterator]()));
}

/** Lets no function of this world be reached from another one's objects to make code into functions. */
export function hideMakers() {
  for (const made of [() => {}, async () => {}, function* () {}, async function* () {}]) {
    Object.defineProperty(Object.getPrototypeOf(made), "constructor", {
      value: function refused() {
        throw new TypeError("a page makes no functions outside of its window");
      },
      writable: false,
      configurable: false,
    });
  }
}

function lock(holder) {
  for (const key of Reflect.ownKeys(holder)) {
    const found = Object.getOwnPropertyDescriptor(holder, key);
    if (!found?.configurable || ASSIGNED.has(key)) continue;
    const isData = "value" in found;
    if (isData && typeof found.value !== "function") continue;
    Object.defineProperty(holder, key, {
      configurable: false,
      ...(isData ? { writable: false } : {}),
    });
  }
}
