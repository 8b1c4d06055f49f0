// Names of tables, fields and the like, checked in the words of crates/convex/sync_types/src/identifier.rs.

const LONGEST = 64;

/** Returns the reason why a text is no identifier, or null. */
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
