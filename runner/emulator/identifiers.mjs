// Checks of names (of tables and fields) and of paths of modules, with the messages of the real backend's
// crates/convex/sync_types/src/identifier.rs and path.rs.

const LONGEST = 64;

/** Returns the reason why a text is no identifier; null if it is one. */
export function whyNoIdentifier(text) {
  const [first] = text;
  if (first === undefined) return "Identifier cannot be empty";
  if (!/[A-Za-z_]/.test(first)) {
    return (
      `Invalid first character '${first}' in ${text}: Identifiers must start with an alphabetic ` +
      "character or underscore"
    );
  }
  const wrong = /[^A-Za-z0-9_]/u.exec(text)?.[0];
  if (wrong !== undefined) {
    return (
      `Identifier ${text} has invalid character '${wrong}': Identifiers can only contain ` +
      "alphanumeric characters or underscores"
    );
  }
  if (text.length > LONGEST) {
    return `Identifier is too long (${text.length} > maximum ${LONGEST})`;
  }
  return /^_+$/.test(text) ? `Identifier ${text} cannot have exclusively underscores` : null;
}

/** Throws if a name that a function passed to a method of the database cannot be a table's name. */
export function checkTableName(name, method) {
  const why = whyNoIdentifier(name);
  if (why !== null) throw new Error(`Invalid argument \`table\` for \`${method}\`: ${why}`);
}

/** Returns the reason why a path, with its `.js`, cannot be a module's path; null if it can. */
export function whyNoModulePath(path) {
  for (const part of path.split("/")) {
    if (part.length > LONGEST)
      return `Path component is too long (${part.length} > maximum ${LONGEST}).`;
    if (!/^[A-Za-z0-9_.]*$/.test(part))
      return `Path component ${part} can only contain alphanumeric characters, underscores, or periods.`;
    if (!/[A-Za-z0-9]/.test(part))
      return `Path component ${part} must have at least one alphanumeric character.`;
  }
  return null;
}
