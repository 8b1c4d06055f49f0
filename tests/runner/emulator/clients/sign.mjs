// Prints a key as a JWKS, and tokens: one of its provider, and others with one thing wrong each.

import { generateKeyPairSync, sign } from "node:crypto";

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** @param {object} [header] */
function token(key, claims, header = { alg: "RS256", kid: "k1", typ: "JWT" }) {
  const signed = `${part(header)}.${part(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
}

const [ours, another] = [0, 1].map(() => generateKeyPairSync("rsa", { modulusLength: 2048 }));
const claims = {
  exp: 4e9,
  iss: "https://issuer.test",
  sub: "grace",
  aud: "app",
  name: "Grace",
  given_name: "G",
};
console.log(
  JSON.stringify({
    jwks: {
      keys: [{ ...ours.publicKey.export({ format: "jwk" }), kid: "k1", alg: "RS256", use: "sig" }],
    },
    good: token(ours.privateKey, { ...claims, nbf: 1000, org: { id: "o1" } }),
    lasting: token(ours.privateKey, { ...claims, exp: undefined }),
    early: token(ours.privateKey, { ...claims, nbf: 3e9 }),
    elsewhere: token(ours.privateKey, { ...claims, aud: "another" }),
    unnamed: token(ours.privateKey, claims, { alg: "RS256", typ: "JWT" }),
    misnamed: token(ours.privateKey, claims, { alg: "RS256", kid: "k2", typ: "JWT" }),
    unsigned: token(ours.privateKey, claims, { alg: "none", kid: "k1", typ: "JWT" }),
    other: token(ours.privateKey, claims, { alg: "ES256", kid: "k1", typ: "JWT" }),
    forged: token(another.privateKey, claims),
    expired: token(ours.privateKey, { ...claims, exp: 1000 }),
    stranger: token(ours.privateKey, { ...claims, iss: "https://elsewhere.test" }),
  }),
);
