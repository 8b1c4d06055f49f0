// Keeps the keys that are pressed before desk.js runs, which then obeys them.

/** @type {{earlyKeys?: string[]}} */
const page = /** @type {any} */ (window);
page.earlyKeys = [];
document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const types = target.matches("input, textarea, select");
  const control = event.ctrlKey || event.metaKey || event.altKey;
  if (!types && !control && !event.repeat && event.key.length === 1) {
    page.earlyKeys?.push(event.key);
  }
});
