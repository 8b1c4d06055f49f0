// Runs freshly packed programs over a small project of ours, with a bit of all that graders do: it
// proves that they run, and what is compiled on the way is what is kept (see start.cjs).

import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";

const PACKAGES = resolve(import.meta.dirname, "../../node_modules");
const ORIGIN = "http://backend.test";
const SITE = "http://site.test";
const KEY = "key";
const PROJECT = {
  "convex/schema.ts": `
    import { defineSchema, defineTable } from "convex/server";
    import { v } from "convex/values";
    export default defineSchema({
      items: defineTable({ name: v.string(), rank: v.number(), tags: v.optional(v.array(v.string())) })
        .index("by_rank", ["rank"])
        .searchIndex("by_name", { searchField: "name", filterFields: ["rank"] }),
    });`,
  "convex/items.ts": `
    import { actionGeneric, internalMutationGeneric, makeFunctionReference, mutationGeneric, paginationOptsValidator, queryGeneric } from "convex/server";
    import { ConvexError, v } from "convex/values";
    export const list = queryGeneric({
      args: { above: v.number() }, returns: v.array(v.any()),
      handler: (ctx, args) =>
        ctx.db.query("items").withIndex("by_rank", (q) => q.gte("rank", args.above)).order("desc").take(10),
    });
    export const page = queryGeneric({
      args: { paginationOpts: paginationOptsValidator },
      handler: (ctx, args) => ctx.db.query("items").order("desc").paginate(args.paginationOpts),
    });
    export const found = queryGeneric({
      args: { text: v.string() },
      handler: (ctx, args) =>
        ctx.db.query("items").withSearchIndex("by_name", (q) => q.search("name", args.text)).collect(),
    });
    export const add = mutationGeneric({
      args: { name: v.string(), rank: v.number() }, returns: v.id("items"),
      handler: async (ctx, args) => {
        if (args.rank < 0) throw new ConvexError({ code: "low" });
        const id = await ctx.db.insert("items", args);
        await ctx.db.patch(id, { tags: ["new"] });
        await ctx.scheduler.runAfter(1000, makeFunctionReference("items:drop"), { id });
        return id;
      },
    });
    export const drop = internalMutationGeneric({
      args: { id: v.id("items") },
      handler: async (ctx, args) => { if (await ctx.db.get(args.id)) await ctx.db.delete(args.id); },
    });
    export const act = actionGeneric({
      args: {},
      handler: async (ctx) => {
        const user = await ctx.auth.getUserIdentity();
        const response = await fetch("https://stub.test/").catch(() => null);
        const file = await ctx.storage.store(new Blob(["x"]));
        return [user?.subject ?? null, response?.status ?? null, await ctx.storage.getUrl(file)];
      },
    });`,
  "convex/http.ts": `
    import { httpActionGeneric, httpRouter } from "convex/server";
    const http = httpRouter();
    http.route({ path: "/hello", method: "POST", handler: httpActionGeneric(async (_ctx, request) => new Response(await request.text())) });
    export default http;`,
  "src/App.tsx": `
    import { useMutation, useQuery } from "convex/react";
    import { anyApi } from "convex/server";
    import { useState } from "react";
    export default function App() {
      const items = useQuery(anyApi.items.list, { above: 0 });
      const add = useMutation(anyApi.items.add);
      const [name, setName] = useState("");
      if (items === undefined) return <p>Loading</p>;
      return (
        <form onSubmit={(event) => { event.preventDefault(); void add({ name, rank: 1 }).then(() => setName("")); }}>
          <label>Name <input value={name} onChange={(event) => setName(event.target.value)} /></label>
          <button type="submit">Add</button>
          <ul>{items.map((item) => <li key={item._id}>{item.name}</li>)}</ul>
        </form>
      );
    }`,
};
const FUNCTION_FAILED = 560;
/** What is asked, and the status that answers it: 200 where none is named. */
const CALLS = [
  ["/api/mutation", { path: "items:add", args: { name: "first", rank: 3 } }],
  ["/api/mutation", { path: "items:add", args: { name: "first", rank: -3 } }, FUNCTION_FAILED],
  ["/api/mutation", { path: "items:add", args: { name: "first" } }, FUNCTION_FAILED],
  ["/api/query", { path: "items:list", args: { above: 1 } }],
  ["/api/query", { path: "items:page", args: { paginationOpts: { numItems: 1, cursor: null } } }],
  ["/api/query", { path: "items:found", args: { text: "first" } }],
  ["/_test/stub", { url: "https://stub.test/", status: 200, headers: [], body: "" }],
  ["/api/action", { path: "items:act", args: {} }],
  ["/_test/advance", { by: 2 }],
  ["/api/mutation", { path: "_system/frontend/addDocument", args: { table: "items", documents: [{ name: "third", rank: 2 }] } }],
  ["/api/query", { path: "_system/cli/tableData", args: { table: "items", order: "asc", paginationOpts: { numItems: 100, cursor: null } } }],
  ["/api/query", { path: "_system/cli/modules:apiSpec", args: {} }],
  ["/_test/reset", {}],
];
const PAGE = [
  { command: "render", component: "src/App.tsx", export: "default", props: {}, held: false },
  { command: "wait", text: "Add", present: true, wait_s: 10 },
  { command: "fill", label: "Name", text: "second" },
  { command: "click", name: "Add", role: "button" },
  { command: "wait", text: "second", present: true, wait_s: 10 },
  { command: "text" },
  { command: "count", css: "li" },
  { command: "close" },
];

/**
 * Runs the backend and the page renderer packed in `folder`; rejects where one does not work.
 *
 * @param {string} folder
 */
export async function tryOut(folder) {
  const sample = join(folder, "sample");
  for (const [name, text] of Object.entries(PROJECT)) {
    mkdirSync(dirname(join(sample, name)), { recursive: true });
    writeFileSync(join(sample, name), text);
  }
  const socket = join(sample, "backend.sock");
  const program = (name) => [join(folder, "start.cjs"), join(folder, name)];
  const common = ["--project", sample, "--origin", ORIGIN, "--site-origin", SITE];
  const link = join(sample, "link.sock");
  const ofBackend = ["--scratch", sample, "--socket", socket, "--link", link];
  const backend = start([...program("server.cjs"), ...common, ...ofBackend]);
  const inside = start([...program("inside.cjs"), "--link", link]);
  backend.child.stdin.end(`token\n${KEY}\n`);
  await backend.says();
  for (const [path, body, status] of CALLS) await post(socket, ORIGIN, path, body, status);
  await post(socket, SITE, "/hello", {});
  const renderer = start([...program("renderer.cjs"), ...common, "--packages", PACKAGES, "--vendor", join(folder, "vendor.js"), "--backend", socket]);
  renderer.child.stdin.write("token\n");
  await renderer.says();
  for (const [id, command] of PAGE.entries()) {
    renderer.child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    await renderer.says();
  }
  // The first to end takes the backend with it, and so must not be the last to keep its code.
  for (const { end } of [renderer, inside, backend]) await end();
  rmSync(sample, { recursive: true });
}

function start(args) {
  const env = { ...process.env, KEEP: "1" };
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const says = async () => {
    const { value: line = "nothing" } = await lines.next();
    if (/"(?:failed|broken)":/.test(line) || !line.startsWith("token")) throw new Error(`${args}: said ${line}`);
  };
  const ended = new Promise((done) => child.on("exit", done));
  const end = () => {
    child.kill("SIGTERM");
    return ended;
  };
  return { child, says, end };
}

/** Rejects where the answer has another status. */
function post(socketPath, origin, path, body, status = 200) {
  const headers = { host: new URL(origin).host, authorization: `Convex ${KEY}`, "content-type": "application/json" };
  return new Promise((done, failed) => {
    const asked = request({ socketPath, path, method: "POST", headers }, (answer) => {
      const isRight = answer.statusCode === status;
      const wrong = new Error(`${path} ${body.path ?? ""}: status ${answer.statusCode}`);
      answer.resume().on("end", () => (isRight ? done() : failed(wrong)));
    });
    asked.on("error", failed).end(JSON.stringify(body));
  });
}
