// The check of environment variables, with the messages of crates/common/src/types/environment_variables.rs.

import { RequestError } from "../errors.mjs";

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const LONGEST_NAME = 40;
/** The most bytes of a value. */
const LARGEST_VALUE = 8192;
const MOST = 100;

/**
 * Throws a RequestError if one of the changes is not allowed.
 *
 * @param {{ name: string, value?: string | null }[]} changes a change without a value removes the variable
 * @param {{ ownEnv: Record<string, string>, builtInNames: string[] }} deployment
 */
export function checkVariables(changes, { ownEnv, builtInNames }) {
  const names = new Set(Object.keys(ownEnv));
  for (const { name, value = null } of changes) {
    checkName(name);
    if (value === null) {
      names.delete(name);
      continue;
    }
    checkValue(value);
    if (builtInNames.includes(name)) {
      refuse(
        "EnvVarNameForbidden",
        `Environment variable with name "${name}" is built-in and cannot be overridden`,
      );
    }
    names.add(name);
  }
  if (names.size > MOST)
    refuse("EnvVarLimitMet", `The environment variable limit (${MOST}) has been met.`);
}

function checkName(name) {
  if (typeof name !== "string" || !NAME.test(name)) {
    refuse(
      "EnvironmentVariableNameInvalid",
      `The environment variable name ${name} is invalid. Environment variable names must begin with a ` +
        "letter and may only include characters a-z, A-Z, 0-9, and underscores.",
    );
  }
  if (name.length > LONGEST_NAME) {
    refuse(
      "EnvironmentVariableNameTooLong",
      `The environment variable name ${name} is too long. Environment variable names must be less ` +
        `than ${LONGEST_NAME}.`,
    );
  }
}

function checkValue(value) {
  const size = Buffer.byteLength(value);
  if (size <= LARGEST_VALUE) return;
  // The bracket is not closed in the real backend's message either.
  refuse(
    "EnvironmentVariableValueTooLarge",
    `The environment variable value is ${size} bytes, which is too large. (max size: ${LARGEST_VALUE}`,
  );
}

function refuse(code, message) {
  throw new RequestError(400, code, message);
}
