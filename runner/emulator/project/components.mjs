// The components of a deployment, a tree with the app at its root. A component has its own tables and variables.
// It can call its own functions, public functions of its children, and functions of which it got handles.

import { callablePath } from "../functions/crons.mjs";
import { DeployError } from "../errors.mjs";
import { idOf } from "../ids.mjs";
import { Project } from "./project.mjs";
import { mismatch } from "./validators.mjs";

const CHILD = "_reference/childComponent/";
const MOST_COMPONENTS = 500;
const TABLE = "_components";
const HANDLE = /^function:\/\/([^;]*);(.+)$/;

/**
 * A function of a component.
 *
 * @typedef {{ component: string, path: string }} Target
 * @typedef {import("./definitions.mjs").Child["env"]} Bindings
 * @typedef {{ path: string, parent: string | null, project: Project, children: Map<string, string>,
 *   bindings: Bindings, mount: string }} Component path has the names from the app to the component, with
 *   slashes, and is empty for the app; mount is the path below which its HTTP actions answer
 */

export class Components {
  /** @type {Map<string, Component>} by path */
  #all = new Map();
  #env;

  /**
   * Loads all modules of the project and its components.
   *
   * @param {import("../bundle.mjs").Module[]} modules
   * @param {import("../functions/isolate.mjs").Isolate} isolate
   * @param {import("./places.mjs").Places} places
   * @param {() => Record<string, string>} env the app's variables
   */
  static async load(modules, isolate, places, env) {
    /** @type {Map<string | null, Project>} */
    const byTag = new Map();
    const byDefinition = Map.groupBy(modules, ({ definition }) => definition);
    const app = await Project.load(byDefinition.get(0) ?? [], isolate, places);
    byDefinition.delete(0);
    for (const own of byDefinition.values()) {
      const project = await Project.load(own, isolate, places);
      if (project.definition?.tag) byTag.set(project.definition.tag, project);
    }
    const components = new Components(env);
    const root = { name: "", project: app, parent: null, bindings: new Map(), mount: "" };
    components.#install(root, byTag, []);
    return components;
  }

  /** @param {() => Record<string, string>} env */
  constructor(env) {
    this.#env = env;
  }

  /** Installs a component, and the components that its definition uses. */
  #install({ name, project, parent, bindings, mount }, byTag, around) {
    if (around.includes(project))
      throw new DeployError(`convex.config.ts: the component "${name}" uses itself.`);
    if (this.#all.size > MOST_COMPONENTS)
      throw new DeployError(`There are more than ${MOST_COMPONENTS} components.`);
    const path = parent ? `${parent}/${name}` : name;
    /** @type {Map<string, string>} */
    const children = new Map();
    this.#all.set(path, { path, parent, project, children, bindings, mount });
    for (const child of project.definition?.children ?? []) {
      const used = byTag.get(child.tag);
      if (!used) {
        throw new DeployError(
          `convex.config.ts: the definition of the component "${child.name}" is not the default ` +
            "export of a convex.config file.",
        );
      }
      checkBindings(child, used);
      const { name: named, env } = child;
      const [prefix = ""] = project.definition?.mounts.find(([, owner]) => owner === named) ?? [];
      const below = mount + prefix.replace(/\/$/, "");
      const own = { name: named, project: used, parent: path, bindings: env, mount: below };
      children.set(named, this.#install(own, byTag, [...around, project]));
    }
    return path;
  }

  /** Takes the components of another deploy in place of these. @param {Components} others */
  become(others) {
    this.#all = others.#all;
  }

  /** @returns {Component} */
  get(path) {
    const component = this.#all.get(path);
    if (!component) throw new Error(`There is no component at ${path}.`);
    return component;
  }

  /**
   * Yields the path of each component with its tables, and whether their documents must fit them.
   *
   * @returns {Generator<[string, Map<string, any> | undefined, boolean]>}
   */
  *schemas() {
    for (const [path, { project }] of this.#all)
      yield [path, project.schema?.tables, project.schema?.validated ?? false];
  }

  /** Returns the crons of all components. */
  crons() {
    return [...this.#all.values()].flatMap(({ path, project }) =>
      project.crons.map((cron) => ({
        ...cron,
        target: { component: path, path: cron.path },
      })),
    );
  }

  /**
   * Returns the variables of a component; undefined for the app, whose variables are the deployment's.
   *
   * @param {string} path
   * @returns {Record<string, string> | undefined}
   */
  envOf(path) {
    if (path === "") return undefined;
    const { parent, bindings, mount } = this.get(path);
    const around = (parent ? this.envOf(parent) : undefined) ?? this.#env();
    const { CONVEX_CLOUD_URL, CONVEX_SITE_URL } = this.#env();
    const env = { CONVEX_CLOUD_URL, CONVEX_SITE_URL: CONVEX_SITE_URL + mount };
    for (const [name, binding] of bindings) {
      const value = "value" in binding ? binding.value : around[binding.variable];
      if (value !== undefined) env[name] = value;
    }
    return env;
  }

  /**
   * Returns the component that answers HTTP requests at a path, the name of its http.ts in the bundle, and the
   * path for its router; null if no component answers.
   *
   * An exact route of http.ts comes first, then the longest prefix of a route or a child, as in
   * crates/application/src/application_function_runner/http_routing.rs.
   *
   * @param {string} path
   * @param {string} method
   * @returns {{ component: string, entry: string, path: string } | null}
   */
  route(path, method) {
    let component = this.get("");
    for (;;) {
      const { project, children } = component;
      const { prefix = "/", mounts = [] } = project.definition ?? {};
      const entry = project.modules.get("http")?.entry;
      const own = restBelow(path, prefix);
      const route = entry === undefined || own === null ? -1 : matched(project.routes, own, method);
      // The app's prefix is a part of the paths of its own routes, but not of its children's.
      const reach = route < 0 ? -1 : route + prefix.length - 1;
      const mount = mounts.find(([at]) => path.startsWith(at));
      if (!mount || mount[0].length < reach)
        return entry === undefined || own === null
          ? null
          : { component: component.path, entry, path: own };
      component = this.get(children.get(mount[1]));
      path = path.slice(mount[0].length - 1);
    }
  }

  /** Returns all components in the order of their installation, with ids that we make. */
  list() {
    return [...this.#all.values()].map(({ path }, number) => {
      const name = path === "" ? null : path.split("/").at(-1);
      return { id: idOf(TABLE, number), name, path, args: {}, state: "active" };
    });
  }

  /** Returns the path of the component with an id; undefined if there is none. */
  pathOf(id) {
    return this.list().find((component) => component.id === id)?.path;
  }

  has(path) {
    return this.#all.has(path);
  }

  /**
   * Returns the function at an address.
   *
   * @param {{ name?: string, functionHandle?: string, reference?: string }} address
   * @param {string} from the path of the calling function's component
   * @returns {Target}
   * @throws if there is no such component, in the words of crates/model/src/components/mod.rs
   */
  resolve({ name, functionHandle, reference }, from) {
    if (name !== undefined) return { component: from, path: callablePath(name) };
    if (functionHandle !== undefined) return this.#ofHandle(functionHandle);
    return this.#ofReference(String(reference), from);
  }

  #ofHandle(handle) {
    const [, component, path] = HANDLE.exec(handle) ?? [];
    if (path === undefined || !this.#all.has(component))
      throw new Error(`Invalid function handle: ${handle}`);
    return { component, path: callablePath(path) };
  }

  #ofReference(reference, from) {
    if (!reference.startsWith(CHILD)) throw new Error(`Invalid reference: ${reference}`);
    const [child, ...parts] = reference.slice(CHILD.length).split("/");
    const component = this.get(from).children.get(child);
    if (component === undefined) throw new Error(`Child component "${child}" not found`);
    const path = `${parts.slice(0, -1).join("/")}:${parts.at(-1)}`;
    const spec = this.get(component).project.functions.get(path);
    if (spec && !spec.internal) return { component, path };
    throw new Error(`Child component "${child}" does not export ${JSON.stringify(parts)}`);
  }
}

/** Returns the handle of a function, a text with which every component may call the function. */
export function handleOf({ component, path }) {
  return `function://${component};${path}`;
}

function checkBindings({ name, env }, { definition }) {
  for (const [variable, { validator, optional }] of definition.variables) {
    const binding = env.get(variable);
    if (binding === undefined && !optional) {
      throw new DeployError(
        `convex.config.ts: the component "${name}" needs a value for its variable ${variable}.`,
      );
    }
    const problem = "value" in (binding ?? {}) ? mismatch(validator, binding.value) : null;
    if (problem) {
      throw new DeployError(
        `convex.config.ts: the component "${name}" has a wrong value for its variable ` +
          `${variable}: ${problem}`,
      );
    }
  }
}

/** Returns the part of a path after a prefix, with a slash; null if the path does not begin with the prefix. */
function restBelow(path, prefix) {
  return path.startsWith(prefix) ? path.slice(prefix.length - 1) : null;
}

/**
 * Returns the length of the longest match of a path by a router's routes: Infinity for an exact route, the
 * length of a prefix, and -1 without a match.
 *
 * @param {{ path: string, method: string }[]} routes a route with a prefix ends with an asterisk
 */
function matched(routes, path, method) {
  const asked = method === "HEAD" ? "GET" : method;
  const lengths = routes
    .filter((route) => route.method === asked)
    .map((route) => {
      if (route.path === path) return Infinity;
      const prefix = route.path.slice(0, -1);
      return route.path.endsWith("*") && path.startsWith(prefix) ? prefix.length : -1;
    });
  return Math.max(-1, ...lengths);
}
