// Answers of several models to one eval beside the reference. The page of each attempt has its answer
// aligned with the reference, line by line; here those pages are read and laid beside one another by
// the reference's lines. Nothing is compared anew.

/* A page of this site as a document. A request for one makes it: text must not be made one here. */
function documentAt(address) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", address);
    request.responseType = "document";
    request.onload = () =>
      request.status === 200 && request.responseXML
        ? resolve(request.responseXML)
        : reject(new Error(`${address}: ${request.status}`));
    request.onerror = () => reject(new Error(`${address} could not be read`));
    request.send();
  });
}

/* The files of a page of an attempt by their paths: rows of its table, none where it is too large. */
function filesOf(page) {
  const files = [...page.querySelectorAll("details.file")];
  return new Map(
    files.map((file) => [
      file.querySelector("summary code").textContent,
      [...file.querySelectorAll("table.diff tbody tr")],
    ]),
  );
}

/* An answer by the reference's lines: what stands at each, and what comes after it. */
function aligned(rows) {
  const at = new Map();
  const after = new Map();
  let left = 0;
  let right = 0;
  for (const row of rows) {
    if (row.classList.contains("folded")) {
      for (let more = parseInt(row.textContent, 10); more > 0; more -= 1) {
        at.set((right += 1), { number: (left += 1), equal: true });
      }
      continue;
    }
    const [leftNumber, answer, rightNumber, reference] = row.cells;
    const line = { answer, reference, equal: row.classList.contains("same") };
    if (leftNumber.textContent) line.number = left = Number(leftNumber.textContent);
    if (rightNumber.textContent) {
      right = Number(rightNumber.textContent);
      at.set(right, line);
    } else {
      after.set(right, [...(after.get(right) ?? []), line]);
    }
  }
  return { at, after, lines: right };
}

/* Rows of the table of one file: a cell for each answer, then the reference's line. */
function merged(answers) {
  const rows = [];
  const lines = Math.max(...answers.map((one) => one.lines));
  const extra = (place) => {
    const lists = answers.map((one) => one.after.get(place) ?? []);
    const most = Math.max(...lists.map((list) => list.length));
    for (let step = 0; step < most; step += 1) {
      rows.push({ cells: lists.map((list) => list[step]), reference: null, number: "" });
    }
  };
  extra(0);
  for (let place = 1; place <= lines; place += 1) {
    const cells = answers.map((one) => one.at.get(place));
    const reference = cells.find((cell) => cell?.reference)?.reference ?? null;
    if (reference === null) {
      const last = rows.at(-1);
      if (last?.folded) last.folded += 1;
      else rows.push({ folded: 1 });
    } else {
      rows.push({ cells, reference, number: place });
    }
    extra(place);
  }
  return rows;
}

function made(name, fields = {}, ...content) {
  const one = Object.assign(document.createElement(name), fields);
  one.append(...content);
  return one;
}

const copied = (cell) => [...cell.childNodes].map((node) => document.importNode(node, true));

function answerCells(line, reference) {
  if (line?.number === undefined)
    return [made("td", { className: "n" }), made("td", { className: "a none" })];
  const text = made(
    "td",
    { className: line.equal ? "a" : "a differs" },
    ...copied(line.answer ?? reference),
  );
  return [made("td", { className: "n" }, String(line.number)), text];
}

function rowOf(one, columns) {
  if (one.folded) {
    const said = `${one.folded} equal ${one.folded === 1 ? "line" : "lines"}`;
    return made("tr", { className: "folded" }, made("td", { colSpan: 2 * columns }, said));
  }
  const cells = one.cells.flatMap((line) => answerCells(line, one.reference));
  const reference = made("td", { className: one.reference ? "r" : "r none" });
  if (one.reference) reference.append(...copied(one.reference));
  return made("tr", {}, ...cells, made("td", { className: "n" }, String(one.number)), reference);
}

function fileView(path, answers, lists) {
  const code = made("code", {}, path);
  if (lists.some((rows) => rows?.length === 0)) {
    const note = made(
      "p",
      { className: "note" },
      "Too large to compare here: the pages of the attempts have it.",
    );
    return made("details", { className: "file" }, made("summary", {}, code), note);
  }
  const found = lists.map((rows) => aligned(rows ?? []));
  const rows = merged(found);
  const same = rows.every(
    (one) => one.folded || (one.reference && one.cells.every((cell) => cell?.equal)),
  );
  const label = `${path}: answers beside the reference`;
  const heads = [...answers.map((one) => one.name), "Reference"].flatMap((name) => [
    made("th", { scope: "col" }, made("span", { className: "vh" }, "Line")),
    made("th", { scope: "col" }, name),
  ]);
  const table = made("table", { className: "diff" }, made("caption", { className: "vh" }, label));
  table.append(made("thead", {}, made("tr", {}, ...heads)));
  table.append(made("tbody", {}, ...rows.map((one) => rowOf(one, answers.length + 1))));
  const box = made("section", { className: "wide", tabIndex: 0, ariaLabel: label }, table);
  const said = made("span", { className: "tag" }, same ? "the same in all" : "differs");
  return made(
    "details",
    { className: "file", open: !same },
    made("summary", {}, code, " ", said),
    box,
  );
}

/* The files of `answers`, each with a name and the address of its page, beside the reference's. */
export async function beside(answers) {
  const pages = await Promise.all(answers.map((one) => documentAt(one.address)));
  const files = pages.map(filesOf);
  // Files that all have, as those of the reference are, come before those of one answer.
  const having = (path) => files.filter((one) => one.has(path)).length;
  const paths = [...new Set(files.flatMap((one) => [...one.keys()]))].sort();
  paths.sort((one, other) => having(other) - having(one));
  if (paths.length === 0) return [made("p", { className: "empty" }, "No file was written.")];
  return paths.map((path) =>
    fileView(
      path,
      answers,
      files.map((one) => one.get(path)),
    ),
  );
}
