// Settings that a browser stores: whether single keys work, and whether a status stays on its page.

function stored(name, value) {
  try {
    if (value === undefined) return localStorage.getItem(name);
    localStorage.setItem(name, value);
  } catch {
    // If a browser stores no settings, each page begins with the defaults.
  }
  return null;
}

/** @returns {HTMLInputElement | null} the box that switches single keys on */
export const keysOn = () => document.querySelector(/** @type {"input"} */ ("#keys-on"));

/** Shows the settings on a page that has just come. */
export function restoreSettings() {
  const on = keysOn();
  if (on) on.checked = stored("desk-keys") !== "off";
  /** @type {HTMLInputElement | null} */
  const stay = document.querySelector("[data-stay]");
  if (stay) stay.checked = stored("desk-stay") === "on";
}

/** Opens the list of keys. */
export function openKeys() {
  const dialog = /** @type {HTMLDialogElement} */ (document.querySelector("#keys"));
  dialog.showModal();
  dialog.querySelector("button")?.focus(); // not the box: a space would switch the keys off
}

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  if (target.id === "keys-on") stored("desk-keys", target.checked ? "on" : "off");
  if (target.matches("[data-stay]")) stored("desk-stay", target.checked ? "on" : "off");
});
