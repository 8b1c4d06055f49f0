// Prints a key as a JWKS, and three tokens: one signed with it, one signed with another key, and
// one of another issuer.

import { generateKeyPairSync, sign } from "node:crypto";

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

function token(key, claims) {
  const signed = `${part({ alg: "RS256", kid: "k1", typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
}

const [ours, another] = [0, 1].map(() => generateKeyPairSync("rsa", { modulusLength: 2048 }));
const claims = {
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
    good: token(ours.privateKey, { ...claims, exp: 4e9, org: { id: "o1" } }),
    lasting: token(ours.privateKey, claims),
    forged: token(another.privateKey, claims),
    expired: token(ours.privateKey, { ...claims, exp: 1000 }),
    stranger: token(ours.privateKey, { ...claims, iss: "https://elsewhere.test" }),
  }),
);
