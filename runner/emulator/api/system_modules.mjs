// The system functions about a deployment's code, as in npm-packages/system-udfs/convex/_system/cli/
// modules.ts, frontend/modules.ts and frontend/listCronJobs.ts of the real backend.

import { convexToJson } from "convex/values";

import { storedPath } from "../functions/crons.mjs";
import { KINDS } from "../functions/operations.mjs";

/** Returns the functions, as `npx convex function-spec` shows them. */
export function apiSpec(_args, { project }) {
  const functions = [...project.functions.values()].map((spec) => ({
    identifier: `${spec.module}.js:${spec.name}`,
    functionType: KINDS[spec.kind],
    visibility: visibilityOf(spec),
    args: spec.args,
    returns: spec.returns ?? { type: "any" },
  }));
  const routes = project.routes.map(({ path, method }) => ({
    functionType: "HttpAction",
    method,
    path,
  }));
  return [...functions, ...routes];
}

/** Returns the modules by path, with functions, routes and crons, but without line numbers and times. */
export function listModules(_args, { project }) {
  return [...project.modules.keys()].map((name) => {
    const own = [...project.functions.values()].filter(({ module }) => module === name);
    const functions = own.map(describeFunction);
    const routes = name === "http" ? project.routes.map(describeRoute) : [];
    const crons = name === "crons" ? { cronSpecs: project.crons.map(describeCron) } : {};
    return [`${name}.js`, { functions: [...functions, ...routes], ...crons }];
  });
}

/** Returns the modules of the app and of each component, by the ids of the components. */
export function listAllModules(_args, { components }) {
  return components.list().map(({ id, path }) => {
    return [path === "" ? null : id, listModules({}, components.get(path))];
  });
}

/** Returns the cron jobs, without the times at which they ran. */
export function listCrons(_args, { project }) {
  return project.crons.map((cron) => {
    const [name, cronSpec] = describeCron(cron);
    return { name, cronSpec, lastRun: null };
  });
}

function describeFunction(spec) {
  const args = JSON.stringify(spec.args);
  const returns = spec.returns && JSON.stringify(spec.returns);
  return {
    name: spec.name,
    udfType: KINDS[spec.kind],
    visibility: visibilityOf(spec),
    args,
    ...(returns ? { returns } : {}),
    argsValidator: args,
  };
}

function describeRoute({ path, method }) {
  return {
    name: `${method} ${path}`,
    udfType: "HttpAction",
    visibility: { kind: "public" },
    argsValidator: '{ "type": "any" }',
  };
}

function visibilityOf({ internal }) {
  return { kind: internal ? "internal" : "public" };
}

/** @returns {[string, any]} */
function describeCron({ identifier, path, args, schedule }) {
  const whole = ([name, value]) => [name, typeof value === "number" ? BigInt(value) : value];
  const udfArgs = new TextEncoder().encode(JSON.stringify([args])).buffer;
  const cronSchedule = Object.fromEntries(Object.entries(schedule).map(whole));
  return [identifier, convexToJson({ udfPath: storedPath(path), udfArgs, cronSchedule })];
}
