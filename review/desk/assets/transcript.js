// The transcript of a session: folding, marks at searched texts, copies of texts.

const MOST_MARKS = 1000;

/** Opens all tools and long texts, or folds all of them. */
export function fold() {
  const folds = [...document.querySelectorAll(/** @type {"details"} */ ("details.fold"))];
  const open = folds.some((details) => !details.open);
  for (const details of folds) details.open = open;
}

/** Marks each place of the text that is looked for. */
export function markFound() {
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete("found");
  const field = /** @type {HTMLInputElement | null} */ (document.querySelector("#find"));
  const wanted = (field?.defaultValue ?? "").toLowerCase();
  const transcript = document.querySelector(".transcript");
  if (!wanted || !transcript) return;
  const ranges = [];
  const texts = document.createTreeWalker(transcript, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() && ranges.length < MOST_MARKS) {
    const node = texts.currentNode;
    const text = (node.textContent ?? "").toLowerCase();
    if (text.length !== node.textContent?.length) continue; // places would be others
    for (let start = text.indexOf(wanted); start >= 0;) {
      const range = new Range();
      range.setStart(node, start);
      range.setEnd(node, start + wanted.length);
      ranges.push(range);
      start = text.indexOf(wanted, start + wanted.length);
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}

/** Copies the text of a message, as it was written, to the clipboard. */
export async function copyText(button, tell) {
  try {
    const answer = await fetch(button.dataset.copies);
    if (!answer.ok) throw new Error(answer.statusText);
    await navigator.clipboard.writeText(await answer.text());
    tell("Copied.");
  } catch {
    tell("The browser does not let the page copy: open Text, and copy it there.");
  }
}
