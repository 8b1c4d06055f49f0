import { escape } from "../escape.js";
export const data = {
  pagination: { data: "all.reports", size: 1, alias: "report" },
  permalink: ({ report }) => `/${report.path}/index.html`,
};
export const render = ({
  report,
}) => `<!doctype html><title>Report</title><h1>Report by ${escape(report.author)}</h1><ul>
${report.failures.map((one) => `<li>${escape(one.name)}: ${escape(one.kind)}: ${escape(one.note)}</li>`).join("\n")}</ul>${report.body}`;
