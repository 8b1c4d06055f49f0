// The check of auth.config.ts, the list of providers that sign users in, with the messages of a real deploy
// (crates/isolate/src/environment/auth_config.rs).

import { DeployError } from "../errors.mjs";

const SEE_DOCUMENTATION =
  "To learn more, see the auth documentation at https://docs.convex.dev/auth.";
const ALGORITHMS = new Set(["RS256", "ES256"]);
/** The issuers that sign the tokens of many applications. */
const SHARED_ISSUERS = new Set(["https://api.workos.com/", "https://api.workos.com"]);

/**
 * Checks the default export of auth.config.ts.
 *
 * @param {string} text its JSON; "null" if there is no such export
 * @returns {{ providers: object[] }}
 */
export function readAuthConfig(text) {
  const config = JSON.parse(text);
  if (config === null)
    throw new DeployError(`auth config file is missing default export. ${SEE_DOCUMENTATION}`);
  // The message is ours; in the real backend a library reports wrong types.
  if (!Array.isArray(config.providers)) throw refused("`providers` is not a list");
  for (const [index, provider] of config.providers.entries()) {
    const why = whyNoProvider(provider ?? {});
    if (why !== null) throw refused(`Provider at index ${index} ${why}`);
  }
  return config;
}

function refused(why) {
  return new DeployError(`auth config file must include a list of provider credentials: ${why}`);
}

/** Returns the fault of a provider; null if it has none. */
function whyNoProvider(provider) {
  const { type = "oidc", issuer, applicationID } = provider;
  const has = (name) => Object.hasOwn(provider, name);
  if (has("applicationId") || has("applicationid")) {
    return "must have applicationID property spelled lowercase 'application', capital I, capital D.";
  }
  if (type !== "customJwt" && type !== "oidc") return `has unexpected 'type' value '${type}'`;
  if (type === "customJwt" && has("domain"))
    return "is a customJwt so cannot have a 'domain' specified";
  if (type === "oidc" && has("issuer")) return "is oidc so cannot have an 'issuer' specified.";
  if (applicationID === undefined && SHARED_ISSUERS.has(issuer)) {
    return (
      "has an issuer that is shared among many applications, so must to specify an ApplicationID " +
      "to check against an `aud` field of a JWT."
    );
  }
  return whyNoFields(type, provider);
}

/** Returns a message of ours about a field that a provider of this type lacks; null if it lacks none. */
function whyNoFields(type, provider) {
  const needed = type === "customJwt" ? ["issuer", "jwks"] : ["domain", "applicationID"];
  const missing = needed.find((name) => typeof provider[name] !== "string");
  if (missing !== undefined) return `has no text as \`${missing}\``;
  if (type === "customJwt" && !ALGORITHMS.has(provider.algorithm))
    return "has another `algorithm` than RS256 and ES256";
  return null;
}
