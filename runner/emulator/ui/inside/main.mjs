// The program in whose process a model's components run, one page at a time. The renderer, which decides, is
// another process in a jail of its own. Code in this process can only send it changes of the page and requests to
// the network.
//
// Bundled by ../../pack.mjs:
//
//   node window.cjs --link SOCKET --vendor FILE

import { readFileSync } from "node:fs";
import { Script } from "node:vm";

import { readOptions } from "../../command_line.mjs";
import { Link, connectTo } from "../../link.mjs";
import { Network } from "./network.mjs";
import { News } from "./news.mjs";
import { ComponentError, PageWindow, describeError } from "./window.mjs";

/** @type {{ [option in "link" | "vendor"]: string }} */
const options = readOptions("link", "vendor");
const vendor = new Script(readFileSync(options.vendor, "utf8"), { filename: options.vendor });

/** @type {Link} */
let link;
const send = (message) => link.send(message);
const network = new Network(send);
const news = new News(send);
/** The next page, which is made before it is needed. @type {PageWindow | null} */
let next = openWindow();
/** @type {PageWindow | null} */
let page = null;

process.on("uncaughtException", (error) => news.note(describeError(error)));
process.on("unhandledRejection", (error) =>
  news.note(`unhandled rejection: ${describeError(error)}`),
);

void connectTo(options.link).then((socket) => {
  link = new Link(socket, hear, () => process.exit());
});

const ACTIONS = {
  async open() {
    await close();
    page = next ?? openWindow();
    next = null;
    news.begin(page.changes);
  },
  mount: (details) => shown().mount(details),
  click: (details) => shown().click(details),
  type: (details) => shown().type(details),
  choose: (details) => shown().choose(details),
  press: (details) => shown().press(details),
  close,
};

function hear({ act, number, ...message }) {
  if (act) void perform(act, number, message);
  else {
    network.hear(message);
    news.heard(number);
  }
}

async function perform(act, number, details) {
  /** @type {string | undefined} */
  let failed;
  try {
    await ACTIONS[act](details);
  } catch (error) {
    const words = error instanceof ComponentError ? error.message : describeError(error);
    failed = error instanceof ComponentError ? words : `the page broke: ${words}`;
  }
  link.sendLater(news.take());
  send({ did: number, failed });
}

function openWindow() {
  const notify = () => news.soon();
  /** @type {PageWindow | null} */
  let made = null;
  // Errors of a page that was closed are not reported as errors of the next page.
  const note = (text) => {
    if (made === page) news.note(text);
  };
  made = new PageWindow({ vendor, network, notify, note });
  return made;
}

function shown() {
  if (page === null) throw new Error("no page is rendered");
  return page;
}

async function close() {
  const closed = page;
  page = null;
  await closed?.close();
}
