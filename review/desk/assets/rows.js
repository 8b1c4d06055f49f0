// Rows of a list: moving between rows, checking rows, and the number of checked rows.

/** @returns {HTMLInputElement[]} */
const boxes = () => [...document.querySelectorAll(/** @type {"input"} */ ('input[name="id"]'))];
/** @returns {HTMLElement[]} */
const links = () => [...document.querySelectorAll(/** @type {"a"} */ ("[data-row]"))];

const steps = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, J: 1, K: -1 };

/**
 * Applies a key of a list.
 *
 * @returns {boolean} whether a list has this key
 */
export function pressedInList(key) {
  const rows = links();
  if (rows.length === 0) return false;
  const row = document.activeElement?.closest("tr");
  const now = rows.findIndex((link) => link.closest("tr") === row);
  if (key === "x") return check(Math.max(now, 0), "turn");
  if (key === "y") {
    if (!boxes().some((box) => box.checked)) check(Math.max(now, 0), "on");
    return false; // the button that has this key is pressed
  }
  const by = steps[key];
  if (!by) return false;
  const next = now < 0 ? (by > 0 ? 0 : rows.length - 1) : now + by;
  const index = Math.min(Math.max(next, 0), rows.length - 1);
  if (key === "J" || key === "K") {
    check(Math.max(now, 0), "on");
    check(index, "on");
  }
  rows[index]?.focus();
  return true;
}

function check(index, how) {
  const box = boxes()[index];
  if (box) box.checked = how === "on" || !box.checked;
  links()[index]?.focus();
  countChecked();
  return true;
}

/** Shows how many rows are checked. */
export function countChecked() {
  const checked = boxes().filter((box) => box.checked).length;
  const output = document.querySelector("[data-count]");
  if (output) output.textContent = checked ? `: ${checked}` : "";
  const all = /** @type {HTMLInputElement | null} */ (document.querySelector("[data-checks]"));
  if (all) all.checked = checked > 0 && checked === boxes().length;
}

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return;
  if (target.dataset.checks) for (const box of boxes()) box.checked = target.checked;
  if (target.dataset.checks || target.name === "id") countChecked();
});
document.addEventListener("reset", () => {
  setTimeout(countChecked); // the boxes are empty after this event
});
