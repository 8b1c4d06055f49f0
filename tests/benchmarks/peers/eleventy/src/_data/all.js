import { readFileSync, readdirSync } from "node:fs";
import process from "node:process";
import MarkdownIt from "markdown-it";
const files = (folder, end) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name.endsWith(end))
    .map((one) => `${one.parentPath ?? one.path}/${one.name}`)
    .sort();
export default function () {
  const root = process.env.CORPUS;
  const runs = files(`${root}/runs`, ".json").map((path) => JSON.parse(readFileSync(path, "utf8")));
  const models = new Map(),
    evals = new Map();
  for (const run of runs) {
    run.passed = 0;
    for (const one of run.attempts) {
      const passed = one.outcome === "passed" ? 1 : 0;
      run.passed += passed;
      evals.set(one.eval, (evals.get(one.eval) ?? 0) + passed);
    }
    if (!models.has(run.model.slug)) models.set(run.model.slug, []);
    models.get(run.model.slug).push(run);
  }
  const markdown = new MarkdownIt();
  const reports = files(`${root}/reports`, ".md").map((path) => {
    const [, front, body] = readFileSync(path, "utf8").split(/^---$/m);
    const failures = [...front.matchAll(/eval: (.*)\n {2}class: (.*)\n {2}note: (.*)/g)].map(
      ([, name, kind, note]) => ({ name, kind, note }),
    );
    return {
      path: path.slice(root.length + 1, -3),
      author: /author: (.*)/.exec(front)[1],
      failures,
      body: markdown.render(body),
    };
  });
  const attempts = files(process.env.ANSWERS, ".json").flatMap((path) =>
    Object.entries(JSON.parse(readFileSync(path, "utf8"))).map(([name, code]) => ({
      run: path.split("/").at(-1).slice(0, -5),
      name,
      code,
    })),
  );
  return { runs, models: [...models], evals: [...evals], reports, attempts };
}
