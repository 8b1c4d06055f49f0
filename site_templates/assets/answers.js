// Answers to one eval beside the reference, aligned by the reference's lines: of one attempt in its
// section, of several models on the page of comparisons.

import { colouredLines } from "./code.js";
import { button, element, json, loadPage } from "./elements.js";

/** Pairs of lines that are looked at in one file at most, as differences take that much time. */
const MOST_PAIRS = 4_000_000;
/** Equal lines shown around a difference; longer stretches are folded away. */
const CONTEXT = 4;
const FOLDED = 12;

const linesOf = (text) => {
  if (text === undefined) return [];
  const lines = text.split("\n");
  while (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
};

/* Numbers of the lines of `left` and `right` that are the same in both, as pairs in order: as many as
   there can be. */
export function pairsOf(left, right) {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let [end, other] = [left.length, right.length];
  while (end > start && other > start && left[end - 1] === right[other - 1])
    [end, other] = [end - 1, other - 1];
  const [rows, columns] = [end - start, other - start];
  const most = new Uint16Array((rows + 1) * (columns + 1));
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      const at = i * (columns + 1) + j;
      most[at] =
        left[start + i] === right[start + j]
          ? most[at + columns + 2] + 1
          : Math.max(most[at + columns + 1], most[at + 1]);
    }
  }
  const pairs = Array.from({ length: start }, (_, line) => [line, line]);
  for (let [i, j] = [0, 0]; i < rows && j < columns;) {
    const at = i * (columns + 1) + j;
    if (left[start + i] === right[start + j]) pairs.push([start + i++, start + j++]);
    else if (most[at + columns + 1] >= most[at + 1]) i += 1;
    else j += 1;
  }
  for (let step = 0; end + step < left.length; step += 1) pairs.push([end + step, other + step]);
  return pairs;
}

/* An answer by the reference's lines: the line at each, and the lines after it that are the answer's
   alone. Lines that differ are beside one another as far as both sides have some. */
function align(answer, reference) {
  const at = new Map();
  const after = new Map();
  let [left, right] = [0, 0];
  for (const [i, j] of [...pairsOf(answer, reference), [answer.length, reference.length]]) {
    while (left < i && right < j) at.set(right++, { number: left++, equal: false });
    const remaining = Array.from({ length: i - left }, (_, step) => ({
      number: left + step,
      equal: false,
    }));
    if (remaining.length) after.set(right - 1, remaining);
    at.set(j, { number: i, equal: true });
    [left, right] = [i + 1, j + 1];
  }
  at.delete(reference.length);
  return { at, after };
}

/* Rows of the table of one file: a line of each answer, and the number of the reference's line. */
function rowsOf(answers, reference) {
  const rows = [];
  for (let line = -1; line < reference.length; line += 1) {
    if (line >= 0) rows.push({ lines: answers.map((answer) => answer.at.get(line)), line });
    const additions = answers.map((answer) => answer.after.get(line) ?? []);
    const most = Math.max(...additions.map((lines) => lines.length));
    for (let step = 0; step < most; step += 1)
      rows.push({ lines: additions.map((lines) => lines[step]) });
  }
  return rows;
}

const isEqual = (row) => row.line !== undefined && row.lines.every((line) => line?.equal);

/* Rows with long stretches of equal lines folded away; a file that is equal everywhere stays whole. */
function fold(rows) {
  if (rows.every(isEqual)) return rows;
  const isNear = rows.map(() => false);
  rows.forEach((row, number) => {
    if (!isEqual(row)) isNear.fill(true, Math.max(0, number - CONTEXT), number + CONTEXT + 1);
  });
  const folded = [];
  for (let number = 0; number < rows.length;) {
    const next = isNear.indexOf(true, number);
    const equal = (next < 0 ? rows.length : next) - number;
    if (equal >= FOLDED) folded.push({ folded: equal });
    else folded.push(...rows.slice(number, number + equal));
    number += equal;
    if (next >= 0) folded.push(rows[number++]);
  }
  return folded;
}

const copied = (nodes) =>
  nodes.map((node) => (typeof node === "string" ? node : node.cloneNode(true)));

const cell = (className, ...content) => element("td", { className }, ...content);

function answerCells(line, text) {
  if (!line) return [cell("n"), cell("a none")];
  const number = cell("n", `${line.number + 1}`);
  const code = copied(text[line.number]);
  if (line.equal) return [number, cell("a", ...code)];
  return [number, cell("a differs", element("span", { className: "vh" }, "differs: "), ...code)];
}

/* The kind of a row, by which the style sheet colours both sides of one answer. */
function kindOf(row) {
  if (isEqual(row)) return "same";
  if (row.lines.length > 1) return "";
  return row.line === undefined ? "removed" : row.lines[0] ? "changed" : "added";
}

function tableRow(row, answers, reference) {
  if (row.folded) {
    const colSpan = 2 * answers.length + 2;
    const equal = element("td", { colSpan }, `${row.folded} equal lines`);
    return element("tr", { className: "folded" }, equal);
  }
  const cells = row.lines.flatMap((line, number) => answerCells(line, answers[number]));
  const whole =
    row.line === undefined
      ? [cell("n"), cell("r none")]
      : [cell("n", `${row.line + 1}`), cell("r", ...copied(reference[row.line]))];
  return element("tr", { className: kindOf(row) }, ...cells, ...whole);
}

/* The table of one file: the texts of several answers, undefined where one lacks it, and that of the
   reference or of the given app; null where they are too large to be compared. */
function fileTable(path, names, texts, referenceText, head = "Reference") {
  const reference = linesOf(referenceText);
  const answers = texts.map(linesOf);
  if (answers.some((lines) => lines.length * reference.length > MOST_PAIRS)) return null;
  const rows = rowsOf(
    answers.map((lines) => align(lines, reference)),
    reference,
  );
  const coloured = answers.map((lines) => colouredLines(path, lines.join("\n")));
  const colouredReference = colouredLines(path, reference.join("\n"));
  const label = `${path}: ${names.length > 1 ? "answers" : "answer"} beside the ${head.toLowerCase()}`;
  const heads = [...names, head].flatMap((name) => [
    element("th", { scope: "col" }, element("span", { className: "vh" }, "Line")),
    element("th", { scope: "col" }, name),
  ]);
  const made = fold(rows).map((row) => tableRow(row, coloured, colouredReference));
  const caption = element("caption", { className: "vh" }, label);
  const columns = element("thead", {}, element("tr", {}, ...heads));
  const table = element("table", { className: "diff" }, caption, columns);
  table.append(element("tbody", {}, ...made));
  const box = element("section", { className: "wide", tabIndex: 0, ariaLabel: label }, table);
  return { isSame: rows.every(isEqual), box };
}

function fileView(path, names, texts, reference) {
  const code = element("code", {}, path);
  const made = texts.includes(null) ? null : fileTable(path, names, texts, reference);
  if (made === null) {
    const words = "Too large to compare here: the pages of the attempts have it.";
    const note = element("p", { className: "note" }, words);
    return element("details", { className: "file" }, element("summary", {}, code), note);
  }
  const tag = element("span", { className: "tag" }, made.isSame ? "the same in all" : "differs");
  const summary = element("summary", {}, code, " ", tag);
  return element("details", { className: "file", open: !made.isSame }, summary, made.box);
}

/* The parts of the address of an attempt: the site's root, the page, the fragment, and the eval. */
function splitAddress(address) {
  const [path, fragment] = address.split("#");
  const start = path.indexOf("runs/");
  const [, , category] = path.slice(start).split("/");
  return {
    root: path.slice(0, start),
    path,
    fragment,
    evalName: `${category}/${fragment.split("/")[0]}`,
  };
}

const readFile = (code) => [
  code.dataset.path,
  code.dataset.cut === undefined ? code.textContent : null,
];

/* The files of an attempt by path, from its page; null where the page has only a part of the text. */
async function filesOf({ path, fragment }, reference) {
  const section = (await loadPage(path))?.getElementById(fragment);
  if (!section) return {};
  const codes = [...section.querySelectorAll("pre.code")];
  const same = [...section.querySelectorAll("[data-same] code")].map((code) => code.textContent);
  return Object.fromEntries([
    ...codes.map(readFile),
    ...same.map((name) => [name, reference[name]]),
  ]);
}

/* The files of `answers`, each with a name and the address of its attempt, beside the reference's. */
export async function beside(answers) {
  const places = answers.map(({ address }) => splitAddress(address));
  const { root, evalName } = places[0];
  const reference = await json(`${root}evals/${evalName}/reference.json`, {});
  const files = await Promise.all(places.map((place) => filesOf(place, reference)));
  const all = [...files, reference];
  // Files that all have, as those of the reference are, come before those of one answer.
  const having = (path) => all.filter((some) => path in some).length;
  const paths = [...new Set(all.flatMap((some) => Object.keys(some)))].sort();
  paths.sort((path, other) => having(other) - having(path));
  if (paths.length === 0) return [element("p", { className: "empty" }, "No file was written.")];
  const names = answers.map((answer) => answer.name);
  return paths.map((path) => {
    const texts = files.map((some) => some[path]);
    return fileView(path, names, texts, reference[path]);
  });
}

/* In the section of an attempt: buttons that show the answer beside the reference, beside the given app if
   there is one, and alone again. */
function offer(section) {
  const files = [...section.parentElement.querySelectorAll("details.file")];
  const failure = element("p", { className: "note" });
  const heads = { reference: "Reference", given: "Given app" };
  const buttons = Object.entries(heads).map(([side, head]) => {
    const address = section.dataset[side];
    if (address === undefined) return null;
    const noun = `the ${head.toLowerCase()}`;
    /**
     * The lines of each file beside the other side, and alone; null until they are loaded.
     * @type {{ box: HTMLElement, alone: HTMLElement | null }[] | null}
     */
    let views = null;
    const load = async () => {
      made.disabled = true;
      try {
        const others = await json(address, {});
        views = files.map((file) => addTable(file, others, head));
        failure.remove();
      } catch (error) {
        failure.textContent = `${noun[0].toUpperCase()}${noun.slice(1)} could not be loaded: ${error.message}`;
        section.append(failure);
      }
      made.disabled = false;
      // Browsers take the focus from a disabled button.
      if (document.activeElement === document.body) made.focus({ preventScroll: true });
    };
    const made = button(`Show beside ${noun}`, async () => {
      const isShown = made.ariaPressed !== "true";
      if (views === null) await load();
      if (views === null) return;
      for (const other of buttons)
        if (other !== made && other?.ariaPressed === "true") other.click();
      made.ariaPressed = `${isShown}`;
      for (const { box, alone } of views) {
        box.hidden = !isShown;
        if (alone) alone.hidden = isShown;
      }
    });
    made.ariaPressed = "false";
    section.append(made);
    return made;
  });
}

/* Add the hidden table of a file beside that of the reference or of the given app, which a step of an answer
   changes; a file that is too large has a note above its code, which stays in sight. */
function addTable(file, others, head) {
  const path = file.querySelector("summary code").textContent;
  const code = file.querySelector("pre.code");
  const alone = file.querySelector("summary + *");
  const other = others[path] ?? others[path.replace(/^step\d\//, "")];
  const isCut = code?.dataset.cut !== undefined;
  const made = isCut ? null : fileTable(path, ["Answer"], [code?.textContent], other, head);
  if (made === null) {
    const words = "Too large to compare here.";
    const note = element("p", { className: "note", hidden: true }, words);
    file.querySelector("summary").after(note);
    return { box: note, alone: null };
  }
  made.box.hidden = true;
  file.append(made.box);
  return { box: made.box, alone };
}

function unfold(node) {
  for (let at = node.closest("details"); at; at = at.parentElement.closest("details"))
    at.open = true;
}

/* Opens the attempt that the address names; a former address may name a part that is gone. */
function openNamed() {
  const name = decodeURIComponent(location.hash.slice(1));
  const attempt = name.slice(0, name.lastIndexOf("/") + 1);
  const target = document.getElementById(name) ?? document.getElementById(attempt);
  if (!target?.closest("details.attempt")) return;
  unfold(target);
  target.scrollIntoView();
}

for (const section of document.querySelectorAll("[data-reference]")) offer(section);
addEventListener("hashchange", openNamed);
openNamed();
