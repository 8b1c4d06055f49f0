import { escape } from "../escape.js";
export const data = {
  pagination: { data: "all.models", size: 1, alias: "model" },
  permalink: ({ model }) => `/models/${model[0]}/index.html`,
};
export const render = ({
  model: [slug, runs],
}) => `<!doctype html><title>${escape(slug)}</title><h1>${escape(slug)}</h1><table>
${runs.map((one) => `<tr><th><a href="/runs/${one.run_id}/">${escape(one.date)}</a></th><td>${escape(one.experiment.name)}</td><td>${one.passed}/${one.attempts.length}</td></tr>`).join("\n")}
</table>`;
