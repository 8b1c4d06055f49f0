// The interface of the npm package convex-test, over the emulator's own parts.

import { createHash } from "node:crypto";
import { clearTimeout, setTimeout } from "node:timers";

import {
  actionGeneric,
  anyApi,
  componentsGeneric,
  getFunctionAddress,
  internalActionGeneric,
  internalMutationGeneric,
  internalQueryGeneric,
  mutationGeneric,
  queryGeneric,
} from "convex/server";
import { ConvexError, convexToJson, jsonToConvex } from "convex/values";
import { expect } from "vitest";

import { SITE, TestDeployment } from "./deployment.mjs";

const KINDS = { query: queryGeneric, mutation: mutationGeneric, action: actionGeneric };
/** The limits of the emulator by their names in convex-test. */
const LIMITS = {
  bytesRead: "bytesRead",
  documentsRead: "documentsRead",
  databaseQueries: "ranges",
  bytesWritten: "bytesWritten",
  documentsWritten: "documentsWritten",
  functionsScheduled: "scheduled",
  scheduledFunctionArgsBytes: "scheduledBytes",
};
const MODULE = /^(?:\.\/)?(.*)\.[cm]?[jt]sx?$/;
/** Files that the test registers in another way. */
const REGISTERED = /(?:^|\/)_generated\/|^schema$/;
/** Files that a deploy does not take for modules, and definitions of components. */
const NO_MODULE = /\.[^/]*$/;
const TEST = /\.test$/;
const WORDS = /^\[Request ID: \w+\] Server Error\n(?:Uncaught (?:Error: )?)?/;
const IDLE_TURNS = 20;

/** Makes a deployment of the test, deployed with its first call. */
export function convexTest(schemaOrOptions, modules) {
  const isSchema = typeof schemaOrOptions?.tables === "object" && schemaOrOptions.export;
  const options = isSchema
    ? { schema: schemaOrOptions, modules }
    : (schemaOrOptions ?? { modules });
  const test = new Test(options);
  const registerComponent = (path, schema, glob) => test.register(path, schema, glob);
  return { ...test.accessor({ kind: "admin" }), registerComponent };
}

/** Makes an app of a test, whose modules are objects of functions. */
export function defineTestApp({ schema, components = {} }) {
  const defineModules = (modules) => {
    const importers = Object.entries(modules).map(([name, exports]) => [
      `./${name}.ts`,
      async () => exports,
    ]);
    const createTest = () => {
      const test = convexTest({ schema, modules: Object.fromEntries(importers) });
      for (const [name, component] of Object.entries(components)) component.register(test, name);
      return test;
    };
    return { api: anyApi, internal: anyApi, createTest };
  };
  return {
    query: queryGeneric,
    mutation: mutationGeneric,
    action: actionGeneric,
    internalQuery: internalQueryGeneric,
    internalMutation: internalMutationGeneric,
    internalAction: internalActionGeneric,
    components: componentsGeneric(),
    defineModules,
  };
}

class Test {
  #sources = new Map();
  #limits;
  /** @type {Promise<TestDeployment> | null} */
  #opened = null;

  constructor({ schema, modules, transactionLimits }) {
    this.#limits = limitsOf(transactionLimits);
    this.register("", schema, modules);
  }

  register(path, schema, glob) {
    if (this.#opened) throw new Error(`The component ${path} is registered after the first call.`);
    this.#sources.set(path, { schema, modules: modulesOf(glob ?? {}) });
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const around = path.slice(0, at);
      if (!this.#sources.has(around))
        this.#sources.set(around, { schema: null, modules: new Map() });
    }
  }

  #deployment() {
    return (this.#opened ??= TestDeployment.open(this.#sources, this.#limits));
  }

  accessor(identity) {
    const call = (kind) => (asked, args) => this.#call(kind, asked, args ?? {}, identity);
    return {
      query: call("query"),
      mutation: call("mutation"),
      action: call("action"),
      run: (closure) => this.#run(closure, identity),
      fetch: (path, init) => this.#fetch(path, init, identity),
      finishInProgressScheduledFunctions: () => this.#finishInProgress(),
      finishAllScheduledFunctions: (advance, most = 100) => this.#finishAll(advance, most),
      withIdentity: (user) => this.accessor({ kind: "admin", user: completed(user) }),
    };
  }

  async #call(kind, asked, args, identity) {
    const deployment = await this.#deployment();
    if (typeof asked === "function" && !asked.isRegistered) {
      const registered = KINDS[kind]({ handler: asked });
      return valueOf(await deployment.callClosure(kind, registered, identity));
    }
    const { component, path } = deployment.components.resolve(getFunctionAddress(asked), "");
    const json = convexToJson(args);
    return valueOf(await deployment.executor.call(kind, path, json, identity, component));
  }

  async #run(closure, identity) {
    const deployment = await this.#deployment();
    const registered = mutationGeneric({
      handler: async (ctx) => closure({ ...ctx, storage: await actionStorage() }),
    });
    return valueOf(await deployment.callClosure("mutation", registered, identity));
  }

  async #fetch(path, init, identity) {
    const { components, executor } = await this.#deployment();
    const request = new Request(`${SITE}${path}`, init);
    const { url, method } = request;
    const route = components.route(new URL(url).pathname, method);
    const body = Buffer.from(await request.arrayBuffer()).toString("base64");
    const asked = {
      url,
      method,
      headers: /** @type {[string, string][]} */ ([...request.headers]),
      body,
    };
    const response = route && (await executor.http(asked, identity, route));
    if (!response) return new Response(`No HttpAction routed for ${path}`, { status: 404 });
    const { status, headers } = response;
    return new Response(/** @type {any} */ (ReadableStream).from(response.body), {
      status,
      headers,
    });
  }

  async #finishInProgress() {
    const { executor } = await this.#deployment();
    while (executor.jobs.size > 0) await Promise.allSettled(executor.jobs);
  }

  async #finishAll(advance, most) {
    const { clock, executor } = await this.#deployment();
    let idle = 0;
    for (let turn = 0; turn < most; turn++) {
      advance();
      if (executor.jobs.size === 0) {
        if (!clock.isPending || idle >= IDLE_TURNS) return;
        idle += 1;
        await new Promise((resolve) => setTimeout(resolve, 0));
        continue;
      }
      idle = 0;
      const pump = () => {
        advance();
        timer = setTimeout(pump, 0);
      };
      let timer = setTimeout(pump, 0);
      await this.#finishInProgress();
      clearTimeout(timer);
    }
    throw new Error("finishAllScheduledFunctions: too many iterations.");
  }
}

/** Returns the storage of an action, which Convex's library gives to actions alone. */
async function actionStorage() {
  let storage;
  const action = actionGeneric({
    handler: async (ctx) => {
      storage = ctx.storage;
    },
  });
  await /** @type {any} */ (action).invokeAction("", "[{}]");
  return storage;
}

/** Returns the modules of a glob by their names. */
function modulesOf(glob) {
  const generated = Object.keys(glob).find((key) => key.includes("_generated/"));
  const root = generated ? generated.slice(0, generated.indexOf("_generated/")) : "./";
  const { testPath = "" } = expect.getState();
  const modules = new Map();
  for (const [key, importer] of Object.entries(glob)) {
    const [, name] = MODULE.exec(key.startsWith(root) ? key.slice(root.length) : key) ?? [];
    if (name === undefined || REGISTERED.test(name)) continue;
    // The test itself may export functions; where it is run anew to be imported, it has none.
    const isOwn = TEST.test(name) && testPath.endsWith(key.replace(/^(?:\.\.?\/)+/, "/"));
    if (isOwn) modules.set(name, () => importer().catch(() => ({})));
    else if (!NO_MODULE.test(name)) modules.set(name, importer);
  }
  return modules;
}

function limitsOf(asked) {
  if (!asked || asked === true) return {};
  return Object.fromEntries(
    Object.entries(asked).map(([name, most]) => [LIMITS[name] ?? name, most]),
  );
}

function completed(user) {
  const subject = user.subject ?? createHash("sha256").update(JSON.stringify(user)).digest("hex");
  const issuer = user.issuer ?? "https://convex.test";
  return {
    ...user,
    subject,
    issuer,
    tokenIdentifier: user.tokenIdentifier ?? `${issuer}|${subject}`,
  };
}

function valueOf(outcome) {
  if (outcome.success) return jsonToConvex(outcome.value);
  const words = outcome.errorMessage.replace(WORDS, "").trimEnd();
  if (outcome.errorData === undefined) throw new Error(words);
  throw Object.assign(new ConvexError(jsonToConvex(outcome.errorData)), { message: words });
}
