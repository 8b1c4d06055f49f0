// The system functions that a deployment's dashboard and command line call, as far as graders
// need them: at the real backend's paths, with its arguments and its answers.

import { convexToJson, jsonToConvex } from "convex/values";

import { reported } from "./crons.mjs";
import { RequestError } from "./errors.mjs";
import { listFiles } from "./storage.mjs";

const ROOT = "_system/";

export function isSystem(path) {
  return path.startsWith(ROOT);
}

/** Calls a system function; args and the result are in Convex's JSON. */
export async function callSystem(path, jsonArgs, { executor, links }) {
  const call = FUNCTIONS[path.slice(ROOT.length).replace(/\.js:/, ":").replace(/:default$/, "")];
  if (!call) throw new RequestError(400, "UnknownSystemFunction", `no system function at ${path}`);
  return convexToJson(await call(jsonToConvex(jsonArgs), { executor, links }));
}

const FUNCTIONS = {
  "cli/tables": async (_args, { executor }) => ({
    page: Object.keys(executor.project.schema?.tables ?? {}).map((name) => ({ name })),
    isDone: true,
    continueCursor: "",
  }),
  "cli/tableData": ({ table, order, paginationOpts }, { executor }) =>
    executor.run((ctx) => {
      const reader = table.startsWith("_") ? ctx.db.system : ctx.db;
      return reader.query(table).order(order ?? "desc").paginate(paginationOpts);
    }),
  "cli/modules:apiSpec": async (_args, { executor }) => apiSpec(executor.project),
  "frontend/addDocument": async ({ table, documents }, { executor }) => {
    await executor.run(async (ctx) => {
      for (const document of documents) await ctx.db.insert(table, document);
    });
    return { success: true };
  },
  "frontend/getById": ({ id }, { executor }) => executor.run((ctx) => ctx.db.get(id)),
  "frontend/clearTablePage": ({ tableName }, { executor }) =>
    executor.run(async (ctx) => {
      const page = await ctx.db.query(tableName).take(CLEARED_AT_ONCE);
      for (const { _id } of page) await ctx.db.delete(_id);
      return { continueCursor: "", deleted: page.length, hasMore: page.length === CLEARED_AT_ONCE };
    }),
  "frontend/getSchemas": async (_args, { executor }) => ({
    active: executor.project.schema?.export() ?? null,
    inProgress: null,
  }),
  "frontend/listCronJobs": async (_args, { executor }) =>
    executor.project.crons.map((cron) => ({
      name: cron.identifier,
      cronSpec: {
        udfPath: cron.path,
        udfArgs: [cron.args],
        cronSchedule: reported(cron.schedule),
      },
    })),
  "frontend/paginatedScheduledJobs": (_args, { executor }) =>
    executor.run(async (ctx) => ({
      page: await ctx.db.system.query("_scheduled_functions").collect(),
      isDone: true,
      continueCursor: "",
    })),
  "frontend/fileStorageV2:fileMetadata": async (_args, { executor, links }) => ({
    page: (await listFiles(executor, links)).map(({ id, sha256, size, contentType }) => ({
      _id: id,
      sha256,
      size,
      contentType,
      url: links.download(id),
    })),
    isDone: true,
    continueCursor: "",
  }),
};

const CLEARED_AT_ONCE = 1000;
const KINDS = { query: "Query", mutation: "Mutation", action: "Action" };

function apiSpec(project) {
  const functions = [...project.functions.values()].map((spec) => ({
    identifier: `${spec.module}.js:${spec.name}`,
    functionType: KINDS[spec.kind],
    visibility: { kind: spec.internal ? "internal" : "public" },
    args: spec.args,
    returns: spec.returns ?? { type: "any" },
  }));
  const routes = (project.router?.getRoutes() ?? []).map(([path, method]) => ({
    functionType: "HttpAction",
    method,
    path,
  }));
  return [...functions, ...routes];
}
