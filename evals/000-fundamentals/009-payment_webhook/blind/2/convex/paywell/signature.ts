// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { readSetting } from "../lib/settings";
import { SECOND } from "../lib/time";

/** How long before or after our own time a request may have been signed. */
export const TOLERANCE = 5 * 60 * SECOND;

/** Return whether a request is from Paywell, and was signed about `now`. */
export async function isSigned(
  header: string,
  body: Uint8Array<ArrayBuffer>,
  now: number,
): Promise<boolean> {
  const parts = header.split(",").map((part) => {
    const [name, ...rest] = part.split("=");
    return { name: name.trim(), value: rest.join("=").trim() };
  });
  const t = parts.find(({ name }) => name === "t")?.value ?? "";
  if (!/^\d+$/.test(t) || Math.abs(now - Number(t) * SECOND) > TOLERANCE) {
    return false;
  }
  const signatures = parts
    .filter(({ name, value }) => name === "v1" && /^[0-9a-f]{64}$/i.test(value))
    .map(({ value }) => fromHex(value));
  const signed = concat(new TextEncoder().encode(`${t}.`), body);
  for (const name of ["PAYWELL_SECRET", "PAYWELL_SECRET_OLD"]) {
    const secret = readSetting(name);
    if (secret === undefined) {
      continue;
    }
    const key = await crypto.subtle.importKey(
      "raw",
      new TextEncoder().encode(secret),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["verify"],
    );
    for (const signature of signatures) {
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) {
        return true;
      }
    }
  }
  return false;
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i += 1) {
    bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  }
  return bytes;
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
