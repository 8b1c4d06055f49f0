// Saves charts and tables: as a picture of what is in sight, and its figures as CSV. A picture is drawn
// from the shapes and words of the page, because the page's policy lets no picture be made of SVG.

import { button, element } from "./elements.js";

const SCALE = 2;
const MARGIN = 24;
const LINE = 18;

/* The picture of a part of the page, with the page's title and address, and of what it is, below it. */
function draw(part) {
  const box = part.getBoundingClientRect();
  const page = getComputedStyle(document.body);
  const notes = [
    `${document.title} · ${location.origin}${location.pathname}`,
    document.querySelector(".sub")?.firstChild?.textContent?.trim() ?? "",
  ].filter(Boolean);
  const height = box.height + 2 * MARGIN + LINE * notes.length;
  const width = box.width + 2 * MARGIN;
  const canvas = element("canvas", { width: SCALE * width, height: SCALE * height });
  const pen = canvas.getContext("2d");
  const view = new DOMMatrix([SCALE, 0, 0, SCALE, 0, 0]);
  pen.setTransform(view);
  pen.fillStyle = page.backgroundColor;
  pen.fillRect(0, 0, width, height);
  const place = view.translate(MARGIN - box.left, MARGIN - box.top);
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const holder = node instanceof Element ? node : node.parentElement;
    if (!holder?.checkVisibility({ visibilityProperty: true }) || holder.closest(".vh")) continue;
    pen.setTransform(place);
    pen.globalAlpha = opacity(holder, part);
    if (node instanceof SVGGeometryElement) drawShape(pen, place, node);
    else if (node instanceof HTMLElement) drawGround(pen, node);
    else if (node instanceof Text) drawWords(pen, place, node);
  }
  pen.setTransform(view);
  pen.globalAlpha = 1;
  pen.font = `12px ${page.fontFamily}`;
  pen.fillStyle = page.color;
  notes.forEach((note, number) =>
    pen.fillText(note, MARGIN, MARGIN + box.height + LINE * (number + 1), box.width),
  );
  return canvas;
}

/* The product of the opacities from an element up to the part that is drawn. */
function opacity(holder, part) {
  let product = 1;
  for (let one = holder; one && one !== part.parentElement; one = one.parentElement) {
    product *= Number(getComputedStyle(one).opacity);
  }
  return product;
}

function drawGround(pen, node) {
  const style = getComputedStyle(node);
  const { left, top, width, height } = node.getBoundingClientRect();
  pen.fillStyle = style.backgroundColor;
  pen.fillRect(left, top, width, height);
  const line = Number.parseFloat(style.borderBottomWidth);
  if (!line || style.borderBottomStyle === "none") return;
  pen.fillStyle = style.borderBottomColor;
  pen.fillRect(left, top + height - line, width, line);
}

function drawShape(pen, place, node) {
  const style = getComputedStyle(node);
  pen.setTransform(place.multiply(matrixOf(node)));
  const path = pathOfShape(node);
  if (style.fill !== "none") {
    pen.fillStyle = style.fill;
    pen.fill(path);
  }
  if (style.stroke === "none") return;
  pen.strokeStyle = style.stroke;
  pen.lineWidth = Number.parseFloat(style.strokeWidth);
  pen.stroke(path);
}

/* From the units of a drawing to pixels of the window. */
const matrixOf = (node) => DOMMatrix.fromMatrix(node.getScreenCTM());

function pathOfShape(node) {
  const of = (name) => node[name].baseVal.value;
  const path = new Path2D(node instanceof SVGPathElement ? (node.getAttribute("d") ?? "") : "");
  if (node instanceof SVGRectElement) path.rect(of("x"), of("y"), of("width"), of("height"));
  if (node instanceof SVGCircleElement) path.arc(of("cx"), of("cy"), of("r"), 0, 2 * Math.PI);
  if (node instanceof SVGLineElement) {
    path.moveTo(of("x1"), of("y1"));
    path.lineTo(of("x2"), of("y2"));
  }
  return path;
}

/* Words one by one, each where it stands in its line. */
function drawWords(pen, place, node) {
  const holder = node.parentElement;
  const style = getComputedStyle(holder);
  pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  if (holder instanceof SVGTextElement) {
    pen.setTransform(place.multiply(matrixOf(holder)));
    const { x, y } = holder.getStartPositionOfChar(0);
    if (style.stroke !== "none") {
      pen.strokeStyle = style.stroke;
      pen.lineWidth = Number.parseFloat(style.strokeWidth);
      pen.strokeText(node.data, x, y);
    }
    pen.fillStyle = style.fill;
    pen.fillText(node.data, x, y);
    return;
  }
  pen.fillStyle = style.color;
  const range = document.createRange();
  for (const word of node.data.matchAll(/\S+/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const { left, top } = range.getBoundingClientRect();
    pen.fillText(word[0], left, top + pen.measureText(word[0]).fontBoundingBoxAscent);
  }
}

/* All columns of a table but drawings; a cell has its exact value, if it has one. A rank is a range. */
function write(table) {
  const heads = [...table.tHead.rows[0].cells].filter((head) => !head.matches(".drawn"));
  const rows = [...table.querySelectorAll("tbody tr:not(.group)")].filter((row) => !row.hidden);
  const words = ({ textContent }) => textContent.replace(/\s+/g, " ").trim();
  const content = (cell) =>
    quoted(cell.matches(".rank") ? words(cell) : (cell.dataset.value ?? words(cell)));
  const lines = rows.map((row) => heads.map((head) => content(row.cells[head.cellIndex])));
  const names = heads.map((head) => {
    const name = head.cloneNode(true);
    // Below the name of a category is the number of its evals.
    name.querySelector("small")?.remove();
    return quoted(words(name));
  });
  return `${[names, ...lines].map((cells) => cells.join(",")).join("\r\n")}\r\n`;
}

/* A spreadsheet takes no text for a formula, and a missing value is empty. */
function quoted(text) {
  if (text === "–") return "";
  const safe = /^[=+@\t-]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function save(name, content) {
  const href = URL.createObjectURL(content);
  element("a", { href, download: name }).click();
  URL.revokeObjectURL(href);
}

/** @type {NodeListOf<HTMLElement>} */
const bars = document.querySelectorAll("[data-save]");
for (const bar of bars) {
  const { save: name, picture, figures } = bar.dataset;
  const parts = () => [...document.querySelectorAll(picture ?? "")];
  const saves = {
    PNG: () => {
      const part = parts().find((one) => one.checkVisibility());
      // A head that stays in sight goes back to its table.
      part?.classList.add("still");
      draw(part).toBlob((drawn) => save(`${name}.png`, drawn));
      part?.classList.remove("still");
    },
    CSV: () =>
      save(
        `${name}.csv`,
        new Blob([write(document.querySelector(figures ?? ""))], { type: "text/csv" }),
      ),
  };
  for (const [kind, saved] of Object.entries(saves)) {
    const made = button(kind, saved);
    made.ariaLabel = `Save ${name?.replaceAll("-", " ")} as ${kind}`;
    bar.append(made);
  }
}
