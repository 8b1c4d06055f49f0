// The definitions of an app and its components: the exports of convex.config.ts, read and checked.

import { DeployError } from "../errors.mjs";

/** The part of a path below which a component or the app answers HTTP. */
const PREFIX = /^\/(?:.*\/)?$/;
/** The form of a component's name, as in crates/common/src/components/component_path.rs. */
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/**
 * A Child is a component that a definition installs. tag names the child's definition; env has its variables,
 * each with a value or with the name of a variable of the parent.
 *
 * @typedef {{ name: string, tag: string, env: Map<string, { value: string } | { variable: string }> }} Child
 * @typedef {{ tag: string | null, children: Child[], variables: Map<string, Variable>, prefix: string,
 *   mounts: [string, string][] }} Definition prefix is the path below which its own http.ts answers; mounts has
 *   the paths below which its children answer, with the children's names
 * @typedef {{ validator: object, optional: boolean }} Variable
 */

/**
 * Reads the exports of a module convex.config.
 *
 * @param {any} described the description by the process of model code
 * @param {import("../bundle.mjs").Module} module
 * @returns {Definition}
 */
export function readDefinition(described, { file }) {
  const refuse = (why) => new DeployError(`Unable to evaluate ${file}: ${why}`);
  if (described === null) {
    throw refuse("the default export is neither defineApp() nor defineComponent().");
  }
  const { text, error } = described.exported;
  if (error) throw refuse(`${error.name}: ${error.message}`);
  try {
    const { childComponents, httpMounts, httpPrefix, envVars = [] } = JSON.parse(text);
    const children = childComponents.map(readChild);
    checkNames(children, refuse);
    const variables = new Map(envVars.map(readVariable));
    const prefix = String(httpPrefix ?? "/");
    if (!PREFIX.test(prefix)) throw refuse(`${prefix} is no httpPrefix of an app.`);
    const mounts = Object.entries(httpMounts).map(readMount);
    checkMounts(mounts, children, refuse);
    return { tag: described.tag, children, variables, prefix, mounts };
  } catch (problem) {
    if (problem instanceof DeployError) throw problem;
    throw refuse("the default export is neither defineApp() nor defineComponent().");
  }
}

/** @returns {Child} */
function readChild({ name, path, env }) {
  const bindings = (env ?? []).map(([variable, binding]) => [
    String(variable),
    binding.type === "envVar"
      ? { variable: String(binding.name) }
      : { value: String(binding.value) },
  ]);
  return { name: String(name), tag: String(path), env: new Map(bindings) };
}

/** @returns {[string, Variable]} */
function readVariable([name, { value, optional = false }]) {
  return [String(name), { validator: JSON.parse(value), optional: optional === true }];
}

/** @returns {[string, string]} */
function readMount([prefix, reference]) {
  return [prefix, String(reference).split("/").at(-1) ?? ""];
}

function checkMounts(mounts, children, refuse) {
  for (const [prefix, owner] of mounts) {
    if (!PREFIX.test(prefix) || !children.some(({ name }) => name === owner))
      throw refuse(`${prefix} is no httpPrefix of a component.`);
    const around = mounts.find(([other]) => other !== prefix && prefix.startsWith(other));
    if (around) throw refuse(`the httpPrefix ${prefix} lies below the httpPrefix ${around[0]}.`);
  }
}

function checkNames(children, refuse) {
  const names = new Set();
  for (const { name } of children) {
    if (!NAME.test(name)) throw refuse(`"${name}" is not a valid name of a component.`);
    if (names.has(name)) throw refuse(`there are two components named "${name}".`);
    names.add(name);
  }
}
