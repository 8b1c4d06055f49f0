// The identities of callers: anonymous, with the deployment's key, or a user.

import { createPublicKey, verify } from "node:crypto";

import { RequestError } from "../errors.mjs";
import { NOBODY } from "../functions/execution.mjs";

/**
 * A caller. `user` is the result of `ctx.auth.getUserIdentity()`. Only an admin may call internal functions.
 * `hasKey` is true if the caller sent the key, also to act as a user. A caller with the key who acts as a
 * user has only this user's rights. On the real backend such a caller keeps an admin's rights, but then a
 * test could not check what a user may do.
 *
 * @typedef {{ kind: "none" | "admin" | "user", user?: object, hasKey?: boolean }} Identity
 */

/** @type {Identity} */
export const ADMIN = Object.freeze({ kind: "admin", hasKey: true });

const WRONG_KEY =
  "The provided deploy key was invalid for this deployment. Double check that the environment this key " +
  "was generated for matches the desired deployment.";
const HASHES = { RS256: "sha256", ES256: "sha256" };
const CLAIMS = {
  sub: "subject",
  iss: "issuer",
  given_name: "givenName",
  family_name: "familyName",
  preferred_username: "preferredUsername",
  profile: "profileUrl",
  picture: "pictureUrl",
  email_verified: "emailVerified",
  birthdate: "birthday",
  zoneinfo: "timezone",
  locale: "language",
  phone_number: "phoneNumber",
  phone_number_verified: "phoneNumberVerified",
  updated_at: "updatedAt",
};

const unauthorized = (code, message) => new RequestError(401, code, message);
const wrongToken = (why) => unauthorized("InvalidAuthHeader", why);
const noKeys = (why) => unauthorized("AuthProviderDiscoveryFailed", why);

/**
 * Throws if a caller does not have the deployment's key, as crates/keybroker does.
 *
 * @param {Identity} identity
 */
export function checkHasKey({ hasKey }) {
  if (!hasKey) throw new RequestError(403, "BadDeployKey", WRONG_KEY);
}

export class Identities {
  #adminKey;
  #providers;
  #now;

  /**
   * @param {string} adminKey
   * @param {{ providers?: object[] } | null} auth the default export of auth.config.ts
   * @param {() => number} now
   */
  constructor(adminKey, auth, now) {
    this.#adminKey = adminKey;
    this.#providers = auth?.providers ?? [];
    this.#now = now;
  }

  /** Returns the caller of a request, from its Authorization header. Throws a RequestError. */
  ofHeader(header) {
    if (!header) return NOBODY;
    const [scheme, token = ""] = header.split(" ");
    if (scheme === "Bearer") return this.identify({ tokenType: "User", value: token });
    if (scheme !== "Convex") throw wrongToken(`Unknown authorization scheme: ${scheme}`);
    if (!token.startsWith(`${this.#adminKey}:`))
      return this.identify({ tokenType: "Admin", value: token });
    const attributes = Buffer.from(token.slice(this.#adminKey.length + 1), "base64").toString();
    let impersonating;
    try {
      impersonating = JSON.parse(attributes);
    } catch {
      const message = "The user to act as is not base64 of a JSON object.";
      throw new RequestError(400, "BadActingAs", message);
    }
    return this.identify({ tokenType: "Admin", value: this.#adminKey, impersonating });
  }

  /**
   * @param {{ tokenType: "None" | "User" | "Admin", value?: string, impersonating?: object }} auth
   * @returns {Identity}
   */
  identify({ tokenType, value, impersonating }) {
    if (tokenType === "None") return NOBODY;
    if (tokenType === "User") return { kind: "user", user: this.#user(value ?? "") };
    if (value !== this.#adminKey) throw unauthorized("BadDeployKey", WRONG_KEY);
    if (!impersonating) return ADMIN;
    return { kind: "user", user: withToken(impersonating), hasKey: true };
  }

  #user(token) {
    try {
      return this.#verified(token);
    } catch (error) {
      if (error instanceof RequestError) throw error;
      // auth.config.ts is the model's, and may have wrong values, such as invalid keys.
      throw noKeys(`auth.config.ts: ${error.message}`);
    }
  }

  /** Verifies a token by auth.config.ts; keys must be in this file, because there is no network. */
  #verified(token) {
    const parts = token.split(".");
    let header;
    let claims;
    try {
      [header, claims] = parts
        .slice(0, 2)
        .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
    } catch {
      throw wrongToken("Could not parse JWT payload.");
    }
    const provider = this.#providers.find((one) => fits(one, claims));
    if (!provider) {
      throw unauthorized(
        "NoAuthProvider",
        "No auth provider found matching the given token. Check that your JWT's issuer and audience " +
          "match one of your configured providers (convex/auth.config.ts).",
      );
    }
    const keys = inlineKeys(provider);
    if (!keys) {
      throw noKeys(
        `Auth provider discovery of ${claims.iss} failed: the embedded backend reaches no network, ` +
          "and knows only keys in a `jwks` data URI.",
      );
    }
    if (!fitsHeader(provider, header) || !keys.some((key) => isSigned(parts, header, key))) {
      throw wrongToken("Could not verify OIDC token claim.");
    }
    // The message is ours, because the real backend's is not known.
    if (typeof claims.exp !== "number")
      throw wrongToken("The token has no expiry: `exp` is missing.");
    if (claims.exp * 1000 < this.#now())
      throw wrongToken("Could not verify OIDC token claim: expired.");
    if (claims.nbf * 1000 > this.#now())
      throw wrongToken("Could not verify OIDC token claim: not valid yet.");
    return provider.type === "customJwt" ? customUserOf(claims) : userOf(claims);
  }
}

function fits(provider, claims) {
  const isIssuer = (provider.issuer ?? provider.domain) === claims.iss;
  const audience = [claims.aud].flat();
  return isIssuer && (!provider.applicationID || audience.includes(provider.applicationID));
}

/** Returns true if the header of a custom JWT names its key, and the algorithm of its provider. */
function fitsHeader({ type, algorithm }, { alg, kid }) {
  return type !== "customJwt" || (alg === algorithm && typeof kid === "string");
}

function inlineKeys({ jwks }) {
  const found = /^data:[^,]*?(;base64)?,(.*)$/s.exec(jwks ?? "");
  if (!found) return null;
  const text = found[1] ? Buffer.from(found[2], "base64").toString() : decodeURIComponent(found[2]);
  return JSON.parse(text).keys;
}

function isSigned([head, body, signature], { alg, kid }, key) {
  if (!(alg in HASHES) || (kid && key.kid && kid !== key.kid)) return false;
  if (key.alg !== undefined && key.alg !== alg) return false;
  /** @type {import("node:crypto").VerifyKeyObjectInput} */
  const asked = { key: createPublicKey({ key, format: "jwk" }), dsaEncoding: "ieee-p1363" };
  return verify(
    HASHES[alg],
    Buffer.from(`${head}.${body}`),
    asked,
    Buffer.from(signature, "base64url"),
  );
}

function userOf(claims) {
  const user = {};
  for (const [name, value] of Object.entries(claims)) user[CLAIMS[name] ?? name] = value;
  return withToken(user);
}

/** The claims of a custom JWT that are not attributes of the user. */
const OF_THE_TOKEN = new Set(["aud", "exp", "iat", "nbf", "jti"]);

/** Returns the user of a custom JWT: claims keep their names; names of nested claims are joined by dots. */
function customUserOf(claims) {
  const user = {};
  const add = (prefix, fields) => {
    for (const [name, value] of Object.entries(fields)) {
      const isNested = value !== null && typeof value === "object" && !Array.isArray(value);
      if (isNested) add(`${prefix}${name}.`, value);
      else user[prefix + name] = value;
    }
  };
  const { sub, iss, ...others } = claims;
  add("", Object.fromEntries(Object.entries(others).filter(([name]) => !OF_THE_TOKEN.has(name))));
  return withToken({ subject: sub, issuer: iss, ...user });
}

function withToken(attributes) {
  const { subject, issuer } = attributes;
  if (typeof subject !== "string" || typeof issuer !== "string") {
    throw new RequestError(400, "BadIdentity", "A user needs a `subject` and an `issuer`.");
  }
  return { tokenIdentifier: `${issuer}|${subject}`, ...attributes };
}
