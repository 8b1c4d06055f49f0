// The program that runs the functions that a model wrote. The backend is another process, in a jail of its
// own: code in this process can only send it results and requests of functions.
//
//   node main.mjs --link SOCKET

import { Buffer } from "node:buffer";
import process from "node:process";

import { readOptions } from "../command_line.mjs";
import { Link, connectTo } from "../link.mjs";
import { Calls } from "./calls.mjs";
import { describeModule, describeThrown } from "./describe.mjs";
import {
  ClassMembers,
  EARLY,
  OF_CRYPTO,
  OF_UNDICI,
  endNotImplemented,
} from "./default_runtime.mjs";
import { makeDefaultGlobals, makeGlobals } from "./globals.mjs";
import { definePerformance } from "./performance.mjs";
import { Pristine, usesUndici } from "./pristine.mjs";
import { seedCrypto, seedNumbers } from "./randomness.mjs";
import { Runtime, SHARED } from "./runtime.mjs";

const { setImmediate } = globalThis;
const { execPath, execve, exit, threadCpuUsage } = /** @type {any} */ (process);
/** The microseconds of a millisecond. */
const MICROSECONDS = 1000;
/** Words that stand for code that can reach all objects. */
const ANY_CODE = "crypto fetch";
const TIMED_OUT = "Function execution timed out (maximum duration: 1s)";
/** The command that started this process, and its environment. */
const command = [execPath, ...process.execArgv, ...process.argv.slice(1)];
const environment = { ...process.env };
const RealDate = globalThis.Date;

const options = readOptions("link");
const clock = { offset: 0, standing: null };
/** @type {Record<string, string>} */
const env = {};
const bodies = new Map();
/** @type {Runtime} */
let runtime;
/** @type {Pristine} */
let pristine;
/** The time and the seed of the deploy, which modules see while they are loaded. */
const deploy = { now: 0, seed: 0 };
/** The instances of the bundles whose modules a deploy describes. */
const started = {};

// An unhandled rejection in a function must not end other functions.
process.on("unhandledRejection", (error) => calls.rejected(error));
process.on("uncaughtException", () => {});

/** @type {Link} */
let link;
const calls = new Calls((message) => link.send(message));
const now = () => clock.standing ?? RealDate.now() + clock.offset;
const performance = definePerformance({
  now: () => sinceDeploy(calls.current()),
  origin: () => deploy.now,
  refuse: (what) => endNotImplemented(calls, what),
});
const globals = {
  ofBoth: (ownEnv = env) => makeGlobals({ calls, env: ownEnv, now }),
  ofDefault: (both, isAuthConfig) => makeDefaultGlobals(calls, both, performance, isAuthConfig),
};
const members = new ClassMembers(calls);
globalThis.Date = globals.ofBoth().Date;
seedNumbers(calls);
// Convex's library sends its requests through this global object.
globalThis.Convex = calls.syscalls();

void begin();

async function begin() {
  // Wait until this module has run: while Node runs a module, it changes its records of it.
  await null;
  members.restrict(EARLY);
  pristine = new Pristine([...SHARED, ...Object.values(performance.classes)]);
  link = new Link(await connectTo(options.link), hear, () => exit());
}

function hear(message) {
  const [what] = Object.keys(message);
  switch (what) {
    case "answer":
      return calls.answered(message);
    case "fire":
      return calls.fire(message.fire);
    case "clock":
      return Object.assign(clock, message.clock);
    case "env":
      for (const name of Object.keys(env)) delete env[name];
      return Object.assign(env, message.env);
    case "end":
      return calls.end(message.end);
    case "turn":
      return setImmediate(() => link.send({ did: message.id, ok: null }));
    default:
      return void perform(message);
  }
}

const ACTIONS = {
  start,
  renew,
  load: (message) => calls.run(message, "loading", () => load(message)),
  call: (message) => calls.run(message, message.kind, () => invoke(message)),
  http: (message) => calls.run(message, "http", () => answer(message)),
};

async function perform(message) {
  try {
    const ok = await ACTIONS[message.act](message);
    const { exec } = message;
    const taken = calls.taken(exec);
    link.send({ did: message.id, ok: ok ?? null, heard: calls.heard(exec), taken });
  } catch (error) {
    link.send({ did: message.id, error: describeThrown(error) });
  }
  const body = bodies.get(message.id);
  if (body) await pass(message, body);
  bodies.delete(message.id);
}

/** Takes the bundles of a deploy. `changes` is true if a further deploy may bring other code into this process. */
function start({ dir, isolate, node, changes, deploy: begun }) {
  Object.assign(deploy, begun);
  for (const kind of Object.keys(started)) delete started[kind];
  if (runtime === undefined)
    prepare(changes ? { isolate: ANY_CODE, node: node ?? "" } : { isolate, node });
  runtime = new Runtime(dir, { isolate, node }, globals);
}

/** Prepares the objects that the code of bundles can reach. */
function prepare({ isolate, node }) {
  if (/crypto/i.test(isolate + (node ?? ""))) {
    members.restrict(OF_CRYPTO);
    seedCrypto(calls);
  }
  if (usesUndici({ isolate, node })) members.restrict(OF_UNDICI);
  if (node !== null) members.share();
  pristine.complete({ isolate, node });
}

/** Returns the milliseconds from the deploy to the time that a call sees; in queries it stands still. */
function sinceDeploy(call) {
  if (call?.loading) return 0;
  return (call?.kind === "query" ? call.now : now()) - deploy.now;
}

/** Starts this process again, unless no call runs and model code has changed nothing in it. */
async function renew() {
  await new Promise((resolve) => setImmediate(resolve));
  if (calls.areOver && bodies.size === 0 && pristine.holds) return;
  execve(execPath, command, environment);
}

async function load({ name, node, entry }) {
  if (name === "auth.config") {
    const modules = runtime.start(node, { isAuthConfig: true });
    return describeModule(name, await calls.load(deploy, modules[entry]));
  }
  return describeModule(name, await calls.load(deploy, () => loadAgain(node, entry)));
}

/** Loads a module of a deploy; modules that it shares with others are loaded once. */
function loadAgain(node, entry) {
  started[node] ??= runtime.start(node);
  return started[node][entry]();
}

/** Loads a module for the present call. */
function loadModule(node, entry, own) {
  return calls.load(deploy, () => runtime.start(node, { env: own })[entry]());
}

async function invoke({ entry, name, node, kind, args, requestId, computingMs, env: own }) {
  const func = (await loadModule(node, entry, own))[name];
  switch (kind) {
    case "query":
      return inTime(computingMs, () => func.invokeQuery(args));
    case "mutation":
      return inTime(computingMs, () => func.invokeMutation(args));
    default:
      return func.invokeAction(requestId, args);
  }
}

/** Runs a query or mutation; throws if it used more than `most` milliseconds of processor time. */
async function inTime(most, run) {
  const before = threadCpuUsage();
  const result = await run();
  const { user, system } = threadCpuUsage(before);
  if (user + system > most * MICROSECONDS) throw new Error(TIMED_OUT);
  return result;
}

/** Runs an HTTP action; the body is sent in pieces after the answer. Returns null if no route fits. */
async function answer({ id, url, method, headers, body, entry, path, env: own }) {
  const router = (await loadModule(false, entry, own)).default;
  const found = router.lookup(path, method);
  if (!found) return null;
  const isBodiless = method === "GET" || method === "HEAD";
  const content = isBodiless ? {} : { body: Buffer.from(body, "base64") };
  const response = await found[0].invokeHttpAction(
    new Request(url, { method, headers, ...content }),
  );
  const told = { status: response.status, headers: [...response.headers] };
  bodies.set(id, response.body ?? []);
  return told;
}

/** Sends a body in pieces, until it ends or the backend ends the call. */
async function pass({ id, exec }, body) {
  try {
    for await (const chunk of body) {
      if (calls.heard(exec) === undefined) return;
      link.send({ part: id, bytes: Buffer.from(chunk).toString("base64") });
    }
    link.send({ part: id });
  } catch (error) {
    link.send({ part: id, error: describeThrown(error).words });
  }
}
