import { escape } from "../escape.js";
export const data = {
  pagination: { data: "all.evals", size: 1, alias: "one" },
  permalink: ({ one }) => `/evals/${one[0]}/index.html`,
};
export const render = ({ one: [name, passed] }) =>
  `<!doctype html><title>${escape(name)}</title><h1>${escape(name)}</h1><p>${passed} passed</p>`;
