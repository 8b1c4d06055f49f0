// Helpers of the scripts of all pages: elements, buttons, JSON files, and the words of a text.

/* An element with properties and content. */
export function element(name, fields = {}, ...content) {
  const made = Object.assign(document.createElement(name), fields);
  made.append(...content);
  return made;
}

export function setAttributes(node, values) {
  for (const [name, value] of Object.entries(values)) node.setAttribute(name, value);
}

export function button(text, clicked) {
  const made = element("button", { type: "button" }, text);
  made.addEventListener("click", clicked);
  return made;
}

/* Words in lower case, without signs. */
export const parts = (text) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean);

/* The path of a file that a slug names, as `records/files/slug_paths.py` writes it. */
export const pathOf = (slug) =>
  slug
    .split("/")
    .map((name) => name.replaceAll(":", "~"))
    .map((name) =>
      /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)|\.$/.test(name) ? `~${name}~` : name,
    )
    .join("/");

/**
 * The content of a JSON file; `absent`, where it is given, if there is no such file.
 * @param {string} address
 * @param {object} [absent]
 */
export async function json(address, absent) {
  const answer = await fetch(address);
  if (answer.status === 404 && absent !== undefined) return absent;
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.json();
}

/**
 * The document of a page of the site, without running its scripts; null if there is no such page.
 * A request parses it: Trusted Types would refuse its text.
 * @param {string} address
 * @returns {Promise<Document | null>}
 */
export function loadPage(address) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.responseType = "document";
    request.addEventListener("load", () => {
      if (request.status === 200) resolve(request.responseXML);
      else if (request.status === 404) resolve(null);
      else reject(new Error(`${address}: ${request.status}`));
    });
    request.addEventListener("error", () => reject(new Error(`${address}: no answer`)));
    request.open("GET", address);
    request.send();
  });
}
