// Computed styles at the price they are worth: jsdom takes milliseconds for each, and most pages
// here have no style sheet at all.

/** Elements that flow with the text around them. */
export const INLINE = new Set(
  (
    "A ABBR B BDI BDO BUTTON CITE CODE DATA DFN EM I INPUT KBD LABEL MARK Q S SAMP SELECT SMALL " +
    "SPAN STRONG SUB SUP TEXTAREA TIME U VAR"
  ).split(" "),
);

const DEFAULTS = { visibility: "visible", "pointer-events": "auto", position: "static" };

/** Replaces a window's getComputedStyle with one that is quick while no style sheet is there. */
export function installQuickStyles(window) {
  const compute = window.getComputedStyle.bind(window);
  window.getComputedStyle = (element, pseudo) =>
    window.document.styleSheets.length > 0 ? compute(element, pseudo) : ownStyle(element);
}

/** @returns {CSSStyleDeclaration} which knows what is asked for here */
function ownStyle(element) {
  const read = (name) =>
    element.style?.getPropertyValue(name) ||
    (name === "display" ? display(element) : DEFAULTS[name]) ||
    "";
  return new Proxy(/** @type {CSSStyleDeclaration} */ ({ getPropertyValue: read }), {
    get(style, key) {
      if (key in style || typeof key !== "string") return style[key];
      return read(key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
    },
  });
}

function display(element) {
  if (element.hidden) return "none";
  return INLINE.has(element.tagName) ? "inline" : "block";
}
