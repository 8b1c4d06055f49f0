// Changes of pages without a gap. The present page stays, with its keys, until the next page is
// loaded, because a browser loses keys that are pressed between two pages.

import { swapTurns } from "./turns.js";

const swapped = [".bar", "main", "#keys"];
const refreshed = ["#judge", ".known", "#diff", ".history", "#keys"];
/** How far pages were scrolled when they were left, by their addresses. */
const tops = new Map();
let shown = location.pathname + location.search;
/** @type {{href: string, answer: Promise<XMLHttpRequest>} | null} */
let ahead = null;

/**
 * Requests a page from the desk.
 *
 * @param {string} method
 * @param {string} href
 * @param {URLSearchParams | null} body
 * @returns {Promise<XMLHttpRequest>} the answer; rejected if the desk does not answer
 */
export function ask(method, href, body = null) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, href);
    request.responseType = "document";
    request.addEventListener("load", () => resolve(request));
    for (const end of ["error", "abort"]) {
      request.addEventListener(end, () => reject(new Error(href)));
    }
    request.send(body);
  });
}

/** Fetches the page at an address, to be there when it is wanted. */
export function fetchAhead(href) {
  const answer = ask("GET", href);
  answer.catch(() => undefined); // it is asked for again when it is wanted
  ahead = { href, answer };
}

/**
 * Returns the page at an address: the prefetched page, if it is still the right page.
 *
 * @param {string} href - the address, which may lead to another address
 * @param {string | null} expected - the address to which it leads now, if that is known
 * @returns {Promise<XMLHttpRequest>} the answer
 */
export async function pageAt(href, expected = null) {
  const fetched = ahead?.href === href ? ahead : null;
  ahead = null;
  if (fetched) {
    const answer = await fetched.answer.catch(() => null);
    const address = answer?.responseURL.replace(location.origin, "");
    if (answer?.response?.querySelector("#judge") && (!expected || address === expected)) {
      return answer;
    }
  }
  return ask("GET", href);
}

/** Returns whether the address of the window is not that of the page in sight. */
export function isElsewhere() {
  return shown !== location.pathname + location.search;
}

/** Returns the address of the page in sight; that of the window differs on the way back. */
export function addressInSight() {
  return location.origin + shown;
}

/**
 * Shows a page instead of the present page. Scripts in it do not run.
 *
 * @param {XMLHttpRequest} answer - the desk's answer with the page
 * @param {boolean} asked - whether a browser can request the page by its address
 */
export function show(answer, asked) {
  const page = /** @type {Document | null} */ (answer.response);
  if (!page?.querySelector("main")) {
    location.assign(answer.responseURL);
    return;
  }
  document.title = page.title;
  const isBack = isElsewhere();
  const top = scrollY;
  swap(page, swapped);
  if (asked && answer.responseURL !== location.href.replace(location.hash, "")) {
    tops.set(location.href, top);
    history.pushState(null, "", answer.responseURL);
  } else {
    announce();
  }
  shown = location.pathname + location.search;
  const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
  document.querySelector("main")?.focus({ preventScroll: true });
  if (target) target.scrollIntoView();
  else scrollTo(0, isBack ? (tops.get(location.href) ?? 0) : 0);
}

/**
 * Updates the labels of the shown page, and leaves its transcript as it is.
 *
 * @param {XMLHttpRequest} answer - the desk's answer with the same page
 */
export function refresh(answer) {
  const page = /** @type {Document | null} */ (answer.response);
  if (!page?.querySelector("#judge") || sign(page) !== sign(document)) {
    show(answer, true);
  } else {
    swap(page, refreshed);
    swapTurns(page);
    announce();
  }
}

/** Lets programs that drive a browser see that the page at the same address is another page. */
function announce() {
  history.replaceState(history.state, "", location.href);
}

/**
 * Returns a text that identifies the parts of a page. A page with another text cannot replace it:
 * that page is of another session, or a dispute began or ended.
 */
function sign(page) {
  const lengths = [".judges", ".warning"].map((part) => page.querySelectorAll(part).length);
  return [page.querySelector("#judge").action, ...lengths].join();
}

function swap(page, selectors) {
  for (const script of page.querySelectorAll("script")) script.remove();
  for (const selector of selectors) {
    const old = document.querySelector(selector);
    const made = page.querySelector(selector);
    if (!old || !made) continue;
    if (old.matches("details")) made.open = old.open;
    old.replaceWith(document.adoptNode(made));
  }
}
