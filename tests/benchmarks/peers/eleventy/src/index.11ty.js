import { escape } from "../escape.js";
export const data = { permalink: "/index.html" };
export const render = ({
  all,
}) => `<!doctype html><title>Leaderboard</title><h1>Leaderboard</h1><table>
${all.models.map(([slug, runs]) => `<tr><th><a href="/models/${slug}/">${escape(slug)}</a></th><td>${runs.reduce((sum, one) => sum + one.passed, 0)}/${runs.reduce((sum, one) => sum + one.attempts.length, 0)}</td></tr>`).join("\n")}
</table>`;
