// Records the keys that are pressed before desk.js runs, which then applies them.

/** @type {{earlyKeys?: string[]}} */
const page = /** @type {any} */ (window);
page.earlyKeys = [];
const waitingKeys = new Set([
  "Escape",
  "Backspace",
  "Enter",
  "Control+Enter",
  "ArrowLeft",
  "ArrowRight",
]);
document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const control = event.ctrlKey || event.metaKey;
  const key = control ? `Control+${event.key}` : event.key;
  const isTyped = target.matches("input, textarea, select") && !control;
  if (isTyped || event.altKey || event.repeat) return;
  const waits = waitingKeys.has(key) && (key !== "Enter" || target === document.body);
  if (waits || (key.length === 1 && !control)) page.earlyKeys?.push(key);
});
