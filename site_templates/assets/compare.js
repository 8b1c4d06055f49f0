// Two or three models that a reader chooses, side by side. What is known of a model is loaded from
// its own file; the choice stands in the address, so that a link shows the same to somebody else.

const SVG = "http://www.w3.org/2000/svg";

function element(name, fields = {}, ...content) {
  const made = Object.assign(document.createElement(name), fields);
  made.append(...content);
  return made;
}

const link = (choice, href, text) =>
  element("a", { href: choice.dataset.root + href }, element("bdi", {}, text));

/* The fields. */

function start(choice) {
  const fields = [...choice.querySelectorAll("input")];
  const options = [...choice.querySelectorAll("option")];
  const keys = new Map(options.map((one) => [one.value, one.dataset.key]));
  const names = new Map(options.map((one) => [one.dataset.key, one.value]));
  const chosen = new URLSearchParams(location.search).get("models")?.split(",") ?? [];
  const known = chosen.filter((key) => names.has(key)).slice(0, fields.length);
  known.forEach((key, place) => (fields[place].value = names.get(key)));
  choice.addEventListener("change", () => {
    const written = fields.map((field) => field.value.trim()).filter(Boolean);
    const unknown = written.find((text) => !keys.has(text));
    const wanted = [...new Set(written.map((text) => keys.get(text)).filter(Boolean))];
    remember(wanted);
    update(choice, wanted, unknown);
  });
  // Room for what is being loaded: the foot of the page does not move when it comes.
  if (known.length > 1) document.querySelector("[data-compared]").style.minHeight = "100vh";
  update(choice, [...new Set(known)]);
}

/* What stands in the address for the models of these keys, and an eval whose answers are shown. */
function query(keys, name) {
  const models = `?models=${keys.map(encodeURIComponent).join(",")}`;
  return name ? `${models}&eval=${encodeURIComponent(name)}` : models;
}

function remember(keys) {
  history.replaceState(null, "", keys.length ? query(keys) : location.pathname);
}

let latest = 0;

async function update(choice, keys, unknown) {
  const mine = ++latest;
  const note = choice.querySelector("[data-compare-note]");
  const place = document.querySelector("[data-compared]");
  let shown = [];
  let opened = () => {};
  if (unknown !== undefined) {
    note.textContent = `No model is called “${unknown}” here: choose one of the list.`;
  } else if (keys.length < 2) {
    note.textContent = keys.length ? "Choose a second model." : "";
  } else {
    note.textContent = "Loading …";
    try {
      const files = ["evals", ...keys].map((key) => loaded(choice, key));
      const [evals, ...models] = await Promise.all(files);
      if (mine !== latest) return;
      const found = groups(evals.evals, models);
      const differing = found.reduce((sum, group) => sum + group.evals.length, 0);
      note.textContent = `They differ in ${differing} ${differing === 1 ? "eval" : "evals"}.`;
      shown = compared(choice, evals, models, keys, found);
      opened = () => openNamed(choice, evals.evals, models, keys);
    } catch (error) {
      if (mine !== latest) return;
      note.textContent = `The models could not be loaded: ${error.message}`;
    }
  }
  place.replaceChildren(...shown);
  document.querySelector("[data-overview]").hidden = shown.length > 0;
  opened();
}

async function loaded(choice, key) {
  const answer = await fetch(`${choice.dataset.place}${key.replaceAll(":", "~")}.json`);
  if (!answer.ok) throw new Error(`${key}: ${answer.status}`);
  return answer.json();
}

/* What is shown of them. */

const passes = ([passed, judged]) => passed > judged / 2;

/* The evals where outcomes differ, by which of the models pass them. */
function groups(evals, models) {
  const found = new Map();
  evals.forEach((about, place) => {
    const outcomes = models.map((model) => passes(model.evals[place]));
    if (new Set(outcomes).size < 2) return;
    const group = found.get(outcomes.join()) ?? { outcomes, evals: [] };
    group.evals.push({ about, place });
    found.set(outcomes.join(), group);
  });
  const few = (group) => group.outcomes.filter(Boolean).length;
  const order = (group) => group.outcomes.map((passed) => (passed ? 0 : 1)).join("");
  return [...found.values()].sort(
    (one, other) => few(one) - few(other) || order(one).localeCompare(order(other)),
  );
}

function compared(choice, evals, models, keys, found) {
  const sentences = keys.flatMap((_, place) =>
    keys.slice(place + 1).map((other) => sentence(choice, models[place], other)),
  );
  return [
    ...sentences,
    figures(choice, evals.categories, models),
    ...found.flatMap((group) => [
      element("h2", {}, title(group, models), " ", element("small", {}, String(group.evals.length))),
      list(choice, group, models, keys),
    ]),
  ];
}

/* How two models differ, and where their newest runs stand against one another. */
function sentence(choice, model, other) {
  const said = element("p", { className: "answer" }, model.against[other]);
  const page = model.runs[other];
  if (page) said.append(" ", link(choice, page, "Their newest runs, with both answers"), ".");
  return said;
}

function title({ outcomes }, models) {
  const passing = models.filter((_, place) => outcomes[place]).map((model) => model.name);
  return passing.length === 1 ? `Only ${passing[0]} passes` : `${passing.join(" and ")} pass`;
}

/* A table within a box that scrolls sideways where it must. */
function table(label, heads, rows) {
  const box = element("section", { className: "wide", tabIndex: 0, ariaLabel: label });
  const made = element("table", {}, element("caption", { className: "vh" }, label));
  made.append(element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
  box.append(made);
  return box;
}

const head = (scope, ...content) => element("th", { scope }, ...content);

function figures(choice, categories, models) {
  const heads = [head("col", "What"), ...models.map((one) => head("col", link(choice, one.href, one.name)))];
  const facts = Object.keys(models[0].facts)
    .filter((what) => models.some((model) => model.facts[what] !== "–"))
    .map((what) =>
      element("tr", {}, head("row", what), ...models.map((model) => element("td", {}, model.facts[what]))),
    );
  const bars = categories.map((about, place) =>
    element(
      "tr",
      {},
      head("row", about.label),
      ...models.map((model) => bar(model.categories[place], about.evals)),
    ),
  );
  return table("Figures side by side", heads, [...facts, ...bars]);
}

function bar(passed, evals) {
  const drawn = document.createElementNS(SVG, "svg");
  const fill = document.createElementNS(SVG, "rect");
  drawn.setAttribute("class", "bar");
  drawn.setAttribute("viewBox", "0 0 100 12");
  drawn.setAttribute("preserveAspectRatio", "none");
  drawn.setAttribute("aria-hidden", "true");
  fill.setAttribute("width", String((100 * passed) / evals));
  fill.setAttribute("height", "12");
  drawn.append(fill);
  return element("td", { className: "chart" }, drawn, ` ${passed}/${evals}`);
}

function list(choice, group, models, keys) {
  const kept = group.evals.some(({ place }) => models.every((model) => stored(model.evals[place])));
  const heads = [head("col", "Eval"), ...models.map((one) => head("col", one.name)), head("col", "Why it failed")];
  if (kept) heads.push(head("col", "Answers"));
  const rows = group.evals.map(({ about, place }) => {
    const name = link(choice, about.href, about.title);
    name.title = about.name;
    const answers = models.map((model) => outcome(choice, about, model.evals[place], model));
    const row = element("tr", {}, head("row", name), ...answers, why(group, place, models));
    if (kept) row.append(element("td", {}, ...besideLink(choice, about, place, models, keys)));
    return row;
  });
  return table(title(group, models), heads, rows);
}

function outcome(choice, about, standing, model) {
  const [passed, judged, href] = standing;
  const kind = passed === judged ? "passed" : passed === 0 ? "failed" : "partly";
  const symbol = { passed: "✓", failed: "✗", partly: "◐" }[kind];
  const said = judged > 1 ? ` ${passed}/${judged}` : "";
  const hidden = element("span", { className: "vh" }, ` ${kind}: answer of ${model.name} to ${about.title}`);
  const answer = element("a", { href: choice.dataset.root + href }, `${symbol}${said}`, hidden);
  return element("td", { className: `m ${kind}` }, answer);
}

function why(group, place, models) {
  const failing = models.filter((_, one) => !group.outcomes[one]);
  const told = failing.map((model) =>
    models.length > 2 ? `${model.name}: ${model.evals[place][3]}` : model.evals[place][3],
  );
  return element("td", { className: "text" }, told.join("; "));
}

/* Answers beside one another: for evals where each model's answer has a page. */

const stored = ([, , href]) => !href.includes("#");

function besideLink(choice, about, place, models, keys) {
  if (!models.every((model) => stored(model.evals[place]))) return [];
  const hidden = element("span", { className: "vh" }, `: answers to ${about.title}`);
  const made = element("a", { href: query(keys, about.name) }, "side by side", hidden);
  made.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    showBeside(choice, about, place, models, keys);
  });
  return [made];
}

/* The eval that the address names. */
function openNamed(choice, evals, models, keys) {
  const name = new URLSearchParams(location.search).get("eval");
  const place = evals.findIndex((about) => about.name === name);
  if (place >= 0 && models.every((model) => stored(model.evals[place]))) {
    showBeside(choice, evals[place], place, models, keys);
  }
}

async function showBeside(choice, about, place, models, keys) {
  const answers = models.map((model) => {
    const [passed, judged, href, said] = model.evals[place];
    return { name: model.name, address: choice.dataset.root + href, passed, judged, said };
  });
  const body = element("div", {}, element("p", { className: "note" }, "Loading …"));
  const dialog = element("dialog", { className: "beside", ariaLabel: `Answers to ${about.title}` });
  const close = element("button", { type: "button", autofocus: true }, "Close");
  const title = element("h2", {}, link(choice, about.href, about.title));
  dialog.append(element("header", {}, title, close), element("ul", {}, ...answers.map(verdict)), body);
  close.addEventListener("click", () => dialog.close());
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
    body.replaceChildren(element("p", { className: "note" }, `The answers could not be loaded: ${error.message}`));
  }
}

function verdict({ name, address, passed, judged, said }) {
  const how = passed === judged ? "passed" : passed === 0 ? "failed" : "partly";
  const words = how === "partly" ? `passed ${passed} of ${judged}` : how;
  const answer = element("a", { href: address }, element("bdi", {}, name));
  return element("li", {}, answer, ": ", element("span", { className: `outcome ${how}` }, words), said ? `, ${said}` : "");
}

for (const choice of document.querySelectorAll("[data-compare]")) start(choice);
