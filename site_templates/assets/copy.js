// "Copy as Markdown" beside each table that has a bar of tools: the rows and columns in sight.

/** @type {NodeListOf<HTMLTableElement>} */
const tables = document.querySelectorAll("table[data-table]");
const SHOWN_MS = 2000;

/* A sign that Markdown or HTML would take for one of theirs stands for itself. */
const escaped = (text) => text.replace(/[\\`*_[\]<>|#~&]/g, "\\$&");

const text = (cell) => escaped(cell.innerText.replace(/\s+/g, " ").trim());

function markdown(table) {
  const heads = [...table.tHead.rows[0].cells].filter((head) => !head.hidden);
  const lines = [heads.map(text), heads.map(rule)];
  for (const row of table.querySelectorAll("tbody tr")) {
    if (row.checkVisibility()) lines.push(cells(row, heads));
  }
  const title = escaped(document.querySelector("h1")?.innerText.trim() ?? "");
  return `${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}\n\n[${title}](${location.href})\n`;
}

const rule = (head) => (head.dataset.type === "number" ? "---:" : "---");

/* The title of a group stands in the first cell of its row. */
function cells(row, heads) {
  if (row.classList.contains("group")) {
    return heads.map((_, place) => (place === 0 ? `**${text(row.cells[0])}**` : ""));
  }
  return heads.map((head) => text(row.cells[head.cellIndex]));
}

function copyButton(table) {
  const button = document.createElement("button");
  const said = document.createElement("small");
  button.type = "button";
  button.className = "copy";
  said.role = "status";
  said.className = "vh";
  const [before, after] = ["Copy as Markdown", "Copied"].map((words) => {
    const span = document.createElement("span");
    span.textContent = words;
    return span;
  });
  after.ariaHidden = "true";
  button.append(before, after);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(markdown(table));
    } catch {
      said.className = "";
      said.textContent = "Not copied: the browser did not allow it.";
      return;
    }
    said.className = "vh";
    said.textContent = "Table copied as Markdown.";
    button.classList.add("done");
    setTimeout(() => {
      button.classList.remove("done");
      said.textContent = "";
    }, SHOWN_MS);
  });
  return [button, said];
}

// Without a clipboard (an address that is not secure) there is no button that would do nothing.
if (navigator.clipboard) {
  for (const table of tables) {
    const bar = document.querySelector(`[data-tools="${table.dataset.table}"]`);
    if (bar && table.tHead) bar.append(...copyButton(table));
  }
}
