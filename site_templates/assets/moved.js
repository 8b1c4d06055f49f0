// On the page for missing addresses: leads from a former address to the page that took its place.

import { json } from "./elements.js";

/* The parts of an address by the placeholders of a rule, as hosts read `_redirects`; null if the rule
   does not fit. */
function match(rule, address) {
  const values = new Map();
  const parts = rule.split("/");
  for (const [number, part] of parts.entries()) {
    const given = address[number];
    if (part === "*") return values.set(":splat", address.slice(number).join("/"));
    if (given === undefined || (part.startsWith(":") ? given === "" : part !== given)) return null;
    if (part.startsWith(":")) values.set(part, given);
  }
  return parts.length === address.length ? values : null;
}

async function lead(page) {
  const { root, moved } = page.dataset;
  const address = location.pathname.slice(root.length).split("/");
  for (const [old, now] of await json(root + moved, [])) {
    const values = match(old, address);
    if (values === null) continue;
    let target = now;
    for (const [name, value] of values) target = target.replace(name, () => value);
    // A target that begins with two slashes would be on another host.
    const place = new URL(root + target.replace(/^\/+/, ""), location.origin);
    const rest = location.hash.slice(1);
    place.hash = place.hash ? place.hash + rest : rest;
    // A rule may lead to a page that is missing as well.
    if (!(await fetch(place)).ok) continue;
    location.replace(place);
    return;
  }
}

for (const page of document.querySelectorAll("[data-moved]")) lead(page);
