// Two or three models that a reader chooses, side by side. The facts of a model are
// loaded from its own file; the choice is in the address, so that a link shows the same to others.

import { button, element, json, pathOf, setAttributes } from "./elements.js";

const SVG = "http://www.w3.org/2000/svg";

const link = (choice, href, text) =>
  element("a", { href: choice.dataset.root + href }, element("bdi", {}, text));

/* A part that every page with a choice has. */
const partOf = (selector) => /** @type {HTMLElement} */ (document.querySelector(selector));

/* The fields. */

function start(choice) {
  const fields = [...choice.querySelectorAll("input")];
  const options = [...choice.querySelectorAll("option")];
  const keys = new Map(options.map((option) => [option.value, option.dataset.key]));
  const names = new Map(options.map((option) => [option.dataset.key, option.value]));
  const listed = new URLSearchParams(location.search).get("models")?.split(",") ?? [];
  const chosen = [...new Set(listed.filter(Boolean))];
  const here = chosen.filter((key) => names.has(key));
  const known = here.slice(0, fields.length);
  known.forEach((key, index) => (fields[index].value = names.get(key)));
  const over = here.slice(fields.length).map((key) => names.get(key));
  const missing = chosen.filter((key) => !names.has(key));
  offerVersions(chosen);
  choice.addEventListener("focusin", () => offerOthers(choice, names), { once: true });
  // A name in full needs no Enter: a choice from the list, or its last letter.
  choice.addEventListener("input", () => {
    const wanted = fields.map((field) => keys.get(field.value.trim())).filter(Boolean);
    if (new Set(wanted).size < 2 || wanted.length < fields.filter(({ value }) => value).length)
      return;
    choice.dispatchEvent(new Event("change"));
  });
  choice.addEventListener("change", () => {
    const written = fields.flatMap((field) => picked(field, [...keys.keys()]) ?? []);
    const unclear = written.find(({ like }) => like.length !== 1);
    const wanted = [...new Set(written.map(({ text }) => keys.get(text)).filter(Boolean))];
    remember(wanted);
    offerVersions(wanted);
    tellMissing(choice, wanted, []);
    update(choice, wanted, unclear && doubt(unclear));
    const strange = written.filter(({ like }) => like.length === 0).map(({ text }) => text);
    if (strange.length) lookElsewhere(choice, wanted, strange);
  });
  // Room for the models that are loaded: the foot of the page does not move when it comes.
  if (known.length > 1) partOf("[data-compared]").style.minHeight = "100vh";
  if (missing.length === 0 || over.length) {
    tellMissing(choice, chosen, missing, over);
    update(choice, known);
    return;
  }
  partOf("[data-compared]").ariaBusy = "true";
  choice.querySelector("[data-compare-missing]").textContent = LOOKING;
  join(choice, chosen, missing).then((joined) => {
    if (joined) fillFields(fields, joined.models);
    showJoined(choice, chosen, missing, known, joined);
  });
}

/* The models of a mixed choice in the fields, in its order. */
function fillFields(fields, models) {
  fields.forEach((field, index) => (field.value = models[index]?.name ?? ""));
}

/* A choice with models of another version, or the part of it that this version has. */
function showJoined(choice, chosen, missing, known, joined) {
  tellMissing(choice, chosen, joined ? [] : missing);
  update(choice, joined ? chosen : known, undefined, joined);
}

/* The evals and models of a choice with models that this version has no run of; null where they
   cannot be compared. */
async function join(choice, chosen, missing) {
  if (chosen.length < 2 || chosen.length > choice.querySelectorAll("input").length) return null;
  try {
    const everywhere = await elsewhere(choice);
    const { join: joined } = await versionsModule(choice);
    return await joined(choice, chosen, missing, everywhere);
  } catch {
    return null;
  }
}

const versionsModule = (choice) => import(new URL(choice.dataset.versions, location.href).href);

/* Models of other versions among the names that a field proposes, each with its version. */
async function offerOthers(choice, names) {
  const everywhere = await elsewhere(choice);
  const { versions } = await versionsModule(choice);
  const otherVersions = await versions(choice).catch(() => ({}));
  const proposals = partOf("#models");
  const proposed = new Set(names.values());
  for (const [key, [name, , places]] of Object.entries(everywhere)) {
    const version = places.find(([href]) => href in otherVersions);
    if (version && !names.has(key) && !proposed.has(name)) {
      proposed.add(name);
      proposals.append(element("option", { value: name, label: `${name}: ${version[1]}` }));
    }
  }
}

/* The text of a field, and the names that it may mean; a single name is written out in full. */
function picked(field, names) {
  const text = field.value.trim();
  if (!text) return null;
  const like = alike(text, names);
  if (like.length === 1) [field.value] = like;
  return { text: field.value.trim(), like };
}

/* The names that are a text, else those that begin with it, else those that hold it. */
function alike(text, names) {
  const sought = text.toLowerCase();
  for (const fits of ["startsWith", "includes"]) {
    const matches = names.filter((name) => name.toLowerCase()[fits](sought));
    const same = matches.filter((name) => name.toLowerCase() === sought);
    if (matches.length) return same.length === 1 ? same : matches;
  }
  return [];
}

const NAMED = 4;
const LOOKING = "Looking for the others …";

function doubt({ text, like }) {
  if (like.length === 0) return `No model is called “${text}” here: choose one of the list.`;
  const more = like.length > NAMED ? ` and ${like.length - NAMED} more` : "";
  return `“${text}” may be ${like.slice(0, NAMED).join(", ")}${more}: choose one of the list.`;
}

/* Compares models whose names were written and that this version has no run of, or shows where they
   are measured. */
async function lookElsewhere(choice, wanted, texts) {
  const mine = latest;
  const all = Object.entries(await elsewhere(choice));
  const missing = texts.map((text) => keyElsewhere(all, text));
  if (mine !== latest || missing.includes(undefined)) return;
  const chosen = [...wanted, ...new Set(missing)];
  const joined = await join(choice, chosen, missing);
  if (mine !== latest) return;
  choice.querySelector("[data-compare-note]").textContent = "";
  if (joined) {
    remember(chosen);
    offerVersions(chosen);
    showJoined(choice, chosen, missing, wanted, joined);
  } else {
    tellMissing(choice, chosen, missing);
  }
}

/* The model of any version that a text names; undefined where it may be several. */
function keyElsewhere(all, text) {
  const like = alike(text, [...new Set(all.map(([, [name]]) => name))]);
  if (like.length !== 1) return undefined;
  const called = all.filter(([, [name]]) => name === like[0]);
  return (called.find(([, [, , versions]]) => versions.length) ?? called[0])[0];
}

const elsewhere = (choice) => json(choice.dataset.elsewhere).catch(() => ({}));

/* Models that the address names and the page does not show: those this version has no run of, and
   those beyond the third. */
async function tellMissing(choice, chosen, missing, over = []) {
  const notice = choice.querySelector("[data-compare-missing]");
  const left = over.flatMap((name) => [
    element("bdi", {}, name),
    ": no more than three are compared. ",
  ]);
  // Room from the first paint on for the text that is looked up.
  notice.replaceChildren(...left, ...(missing.length ? [LOOKING] : []));
  if (missing.length === 0) return;
  const all = await elsewhere(choice);
  notice.replaceChildren(
    ...left,
    ...missing.flatMap((key) => [...absent(choice, chosen, key, all[key]), " "]),
  );
}

/* Names where a model has runs that count, with links to those versions' pages of the same models. */
function absent(choice, chosen, key, measured) {
  if (!measured) return [`No run of “${key}” is known here.`];
  const [name, condition, versions] = measured;
  const sentences = [element("bdi", {}, name), `, ${condition}, has no score in this version`];
  if (versions.length === 0) return [...sentences, ", nor in another."];
  const links = versions.flatMap(([href, version], index) => [
    index ? ", " : "",
    link(choice, href + query(chosen), version),
  ]);
  return [...sentences, ". It has one in ", ...links, "."];
}

/* The same models on the pages of other versions. */
function offerVersions(chosen) {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll(".switch a");
  for (const anchor of links) {
    anchor.search = chosen.length ? query(chosen) : "";
  }
}

/* The part of the address for the models of these keys, and an eval whose answers are shown. */
function query(keys, name) {
  const models = `?models=${keys.map(encodeURIComponent).join(",")}`;
  return name ? `${models}&eval=${encodeURIComponent(name)}` : models;
}

function remember(keys) {
  history.replaceState(null, "", keys.length ? query(keys) : location.pathname);
}

let latest = 0;

/* Shows the models of these keys, or why not: `joined` holds them where versions are mixed. */
async function update(choice, keys, unclear, joined) {
  const mine = ++latest;
  const note = choice.querySelector("[data-compare-note]");
  const part = partOf("[data-compared]");
  part.ariaBusy = "true";
  let content = [];
  let opened = () => {};
  if (unclear !== undefined) {
    note.textContent = unclear;
  } else if (keys.length < 2) {
    note.textContent = keys.length ? "Choose a second model." : "";
  } else {
    note.textContent = "Loading …";
    try {
      const { evals, models } = joined ?? (await loadVersion(choice, keys));
      if (mine !== latest) return;
      const groups = groupDifferences(evals.evals, models);
      const differing = groups.reduce((sum, group) => sum + group.evals.length, 0);
      note.textContent = joined
        ? `They differ in ${differing} of the ${evals.evals.length} evals that are the same here and in ${joined.title}.`
        : `They differ in ${differing} ${differing === 1 ? "eval" : "evals"}.`;
      content = compared(choice, evals, models, keys, groups);
      opened = () => openNamed(choice, evals.evals, models, keys);
    } catch (error) {
      if (mine !== latest) return;
      note.textContent = `The models could not be loaded: ${error.message}`;
    }
  }
  part.replaceChildren(...content);
  partOf("[data-overview]").hidden = content.length > 0;
  part.ariaBusy = "false";
  opened();
}

async function loadVersion(choice, keys) {
  const folder = choice.dataset.place;
  const files = ["evals", ...keys].map((key) => json(`${folder}${pathOf(key)}.json`));
  const [evals, ...models] = await Promise.all(files);
  return { evals, models };
}

/* Whether each of these results has the highest share of passed attempts; by whole numbers. */
const leading = (results) =>
  results.map(([passed, judged]) => results.every(([other, of]) => passed * of >= other * judged));

/* The evals where the models differ, by which of them have the highest share of passed attempts. */
function groupDifferences(evals, models) {
  const groups = new Map();
  evals.forEach((about, index) => {
    const outcomes = leading(models.map((model) => model.evals[index]));
    if (new Set(outcomes).size < 2) return;
    const group = groups.get(outcomes.join()) ?? { outcomes, evals: [] };
    group.evals.push({ about, index });
    groups.set(outcomes.join(), group);
  });
  const few = (group) => group.outcomes.filter(Boolean).length;
  const order = (group) => group.outcomes.map((passed) => (passed ? 0 : 1)).join("");
  return [...groups.values()].sort(
    (first, second) => few(first) - few(second) || order(first).localeCompare(order(second)),
  );
}

function compared(choice, evals, models, keys, groups) {
  const sentences = keys.flatMap((_, index) =>
    keys
      .slice(index + 1)
      .map((key, after) => sentence(choice, models[index], models[index + 1 + after], key)),
  );
  return [
    ...sentences,
    figures(choice, evals.categories, models),
    ...steps(evals.steps, models),
    ...groups.flatMap((group) => {
      const number = element("small", {}, String(group.evals.length));
      const heading = element("h2", {}, ...title(group, models), " ", number);
      return [heading, list(choice, group, models, keys)];
    }),
  ];
}

/* A sentence with the names of two models in the places that are kept for them. */
function fillNames(text, model, other) {
  const names = { "{one}": model.name, "{other}": other.name };
  return text
    .split(/(\{(?:one|other)\})/)
    .map((part) => (names[part] ? element("bdi", {}, names[part]) : part));
}

/* How two models differ, and where their newest runs stand against one another. */
function sentence(choice, model, other, key) {
  const paragraph = element(
    "p",
    { className: "answer" },
    ...fillNames(model.against[key], model, other),
  );
  const [page, answers] = model.runs[key] ?? [];
  const words = answers
    ? "Their newest runs, with answers side by side"
    : "Their newest runs, eval by eval";
  if (page) paragraph.append(" ", link(choice, page, words), ".");
  return paragraph;
}

function title({ outcomes }, models) {
  const best = models
    .filter((_, index) => outcomes[index])
    .map((model) => element("bdi", {}, model.name));
  const names = best.flatMap((name, index) => (index ? [" and ", name] : [name]));
  const verb = best.length === 1 ? " does " : " do ";
  return [...names, verb, models.length === 2 ? "better" : "best"];
}

const words = (content) => content.map((part) => part.textContent ?? part).join("");

/* A table within a box that scrolls sideways where it must. */
function table(label, heads, rows, kind = "") {
  const caption = element("caption", { className: "vh" }, label);
  const columns = element("thead", {}, element("tr", {}, ...heads));
  const body = element("tbody", {}, ...rows);
  const made = element("table", { className: kind }, caption, columns, body);
  return element("section", { className: "wide", tabIndex: 0, ariaLabel: label }, made);
}

const head = (scope, ...content) => element("th", { scope }, ...content);

const row = (name, ...cells) => element("tr", {}, head("row", name), ...cells);

/* The heads of a table with a column for each model. */
const headsOf = (label, models) => [
  head("col", label),
  ...models.map((model) => head("col", element("bdi", {}, model.name))),
];

function figures(choice, categories, models) {
  const heads = [
    head("col", "What"),
    ...models.map((model) => head("col", link(choice, model.href, model.name))),
  ];
  const facts = Object.keys(models[0].facts)
    .filter((fact) => models.some((model) => model.facts[fact] !== "–"))
    .map((fact) => row(fact, ...models.map((model) => element("td", {}, model.facts[fact]))));
  const bars = categories.map((about, index) =>
    row(about.label, ...models.map((model) => bar(model.categories[index], about.evals))),
  );
  return table("Figures side by side", heads, [...facts, ...bars], "figures");
}

/* Where the attempts of each model failed: only steps at which some did. */
function steps(names, models) {
  const met = names
    .map((_, index) => index)
    .filter((index) => models.some((model) => model.steps[index]));
  if (met.length === 0) return [];
  // Counts begin where the head does, as in the table above; they end below one another.
  const digits = Math.max(...models.map((model) => String(model.attempts).length));
  const cell = (count) => {
    const figure = element("span", { className: "count" }, count);
    figure.style.minWidth = `${digits}ch`;
    return element("td", {}, figure);
  };
  const rows = met.map((index) =>
    row(names[index], ...models.map((model) => cell(String(model.steps[index] || "")))),
  );
  rows.push(row("Attempts judged", ...models.map((model) => cell(String(model.attempts)))));
  const note = "Attempts of the runs that count, by the first step that failed.";
  return [
    element("h2", {}, "Where attempts failed"),
    element("p", { className: "note" }, note),
    table("Failed attempts by step", headsOf("Failed at", models), rows, "figures"),
  ];
}

function bar(passed, evals) {
  const drawn = document.createElementNS(SVG, "svg");
  const fill = document.createElementNS(SVG, "rect");
  setAttributes(fill, { width: String((100 * passed) / evals), height: "12" });
  const box = { viewBox: "0 0 100 12", preserveAspectRatio: "none" };
  setAttributes(drawn, { class: "bar", "aria-hidden": "true", ...box });
  drawn.append(fill);
  return element("td", { className: "chart" }, drawn, ` ${passed}/${evals}`);
}

function list(choice, group, models, keys) {
  const hasAnswers = group.evals.some(({ index }) =>
    models.every((model) => stored(model.evals[index])),
  );
  const heads = [...headsOf("Eval", models), head("col", "Why it failed")];
  if (hasAnswers) heads.push(head("col", "Answers"));
  const rows = group.evals.map(({ about, index }) => {
    const name = link(choice, about.href, about.title);
    name.title = about.name;
    const answers = models.map((model) => outcome(choice, about, model.evals[index], model));
    const made = row(name, ...answers, why(group, index, models));
    if (hasAnswers)
      made.append(element("td", {}, ...besideLink(choice, about, index, models, keys)));
    return made;
  });
  return table(words(title(group, models)), heads, rows, "told stacked");
}

function outcome(choice, about, standing, model) {
  const [passed, judged, href] = standing;
  const kind = passed === judged ? "passed" : passed === 0 ? "failed" : "partly";
  const symbol = { passed: "✓", failed: "✗", partly: "◐" }[kind];
  const count = judged > 1 ? ` ${passed}/${judged}` : "";
  // Where no answer was kept, the link leads to the attempt's row in the table of its run.
  const there = isKept(href) ? `answer of ${model.name} to` : `attempt of ${model.name} at`;
  const hidden = element("span", { className: "vh" }, ` ${kind}: ${there} ${about.title}`);
  const answer = element("a", { href: choice.dataset.root + href }, `${symbol}${count}`, hidden);
  const cell = element("td", { className: `m ${kind}` }, answer);
  cell.dataset.model = model.name; // where there is no room for heads, the cell names its model
  return cell;
}

function why(group, index, models) {
  const failing = models.filter((_, model) => !group.outcomes[model]);
  const reasons = failing.flatMap((model, position) => [
    ...(position ? [element("br", {})] : []),
    ...(models.length > 2 ? [element("bdi", {}, model.name), ": "] : []),
    model.evals[index][3],
  ]);
  return element("td", { className: "text" }, ...reasons);
}

/* Answers beside one another: for evals where each model's answer was kept. */

/* Whether an address is that of a kept attempt, whose fragment ends with a slash, or of a row. */
const isKept = (href) => href.includes("#") && href.endsWith("/");
const stored = ([, , href]) => isKept(href);

function besideLink(choice, about, index, models, keys) {
  if (!models.every((model) => stored(model.evals[index]))) return [];
  const hidden = element("span", { className: "vh" }, `: answers to ${about.title}`);
  const made = element("a", { href: query(keys, about.name) }, "side by side", hidden);
  made.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    showBeside(choice, about, index, models, keys);
  });
  return [made];
}

/* The eval that the address names. */
function openNamed(choice, evals, models, keys) {
  const name = new URLSearchParams(location.search).get("eval");
  const index = evals.findIndex((about) => about.name === name);
  if (index >= 0 && models.every((model) => stored(model.evals[index]))) {
    showBeside(choice, evals[index], index, models, keys);
  }
}

async function showBeside(choice, about, index, models, keys) {
  const answers = models.map((model) => {
    const [passed, judged, href, reason] = model.evals[index];
    return { name: model.name, address: choice.dataset.root + href, passed, judged, reason };
  });
  const loading = element("p", { className: "note" }, "Loading …");
  const body = element("div", { ariaBusy: "true" }, loading);
  const dialog = element("dialog", { className: "beside", ariaLabel: `Answers to ${about.title}` });
  const close = button("Close", () => dialog.close());
  close.autofocus = true;
  const heading = element("h2", {}, link(choice, about.href, about.title));
  const verdicts = element("ul", {}, ...answers.map(verdict));
  dialog.append(element("header", {}, heading, close), verdicts, body);
  dialog.addEventListener("close", () => {
    dialog.remove();
    remember(keys);
  });
  document.body.append(dialog);
  dialog.showModal();
  history.replaceState(null, "", query(keys, about.name));
  try {
    const { beside } = await import(new URL(choice.dataset.answers, location.href).href);
    body.replaceChildren(...(await beside(answers)));
  } catch (error) {
    const message = `The answers could not be loaded: ${error.message}`;
    body.replaceChildren(element("p", { className: "note" }, message));
  }
  body.ariaBusy = "false";
}

function verdict({ name, address, passed, judged, reason }) {
  const how = passed === judged ? "passed" : passed === 0 ? "failed" : "partly";
  const label = how === "partly" ? `passed ${passed} of ${judged}` : how;
  const answer = element("a", { href: address }, element("bdi", {}, name));
  const tag = element("span", { className: `outcome ${how}` }, label);
  return element("li", {}, answer, ": ", tag, reason ? `, ${reason}` : "");
}

for (const choice of document.querySelectorAll("[data-compare]")) start(choice);
