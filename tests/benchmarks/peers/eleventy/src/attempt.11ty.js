import { escape } from "../escape.js";
export const data = {
  pagination: { data: "all.attempts", size: 1, alias: "attempt" },
  permalink: ({ attempt }) => `/runs/${attempt.run}/${attempt.name}/index.html`,
};
export const render = ({
  attempt,
}) => `<!doctype html><title>${escape(attempt.name)}</title><h1>${escape(attempt.name)}</h1><p><a href="/runs/${attempt.run}/">${attempt.run}</a></p>
${Object.entries(attempt.code)
  .map(([path, text]) => `<h2>${escape(path)}</h2><pre><code>${escape(text)}</code></pre>`)
  .join("\n")}`;
