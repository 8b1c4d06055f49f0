import { escape } from "../escape.js";
export const data = {
  pagination: { data: "all.runs", size: 1, alias: "run" },
  permalink: ({ run }) => `/runs/${run.run_id}/index.html`,
};
export const render = ({
  run,
}) => `<!doctype html><title>${escape(run.run_id)}</title><h1>${escape(run.model.name)}, ${escape(run.experiment.name)}</h1><p>${escape(run.date)}</p><table>
${run.attempts.map((one) => `<tr id="${escape(one.eval)}"><th><a href="/evals/${escape(one.eval)}/">${escape(one.eval)}</a></th><td>${escape(one.outcome)}</td><td>${escape(one.failed_step)}</td><td>${escape(one.reason)}</td></tr>`).join("\n")}
</table>`;
