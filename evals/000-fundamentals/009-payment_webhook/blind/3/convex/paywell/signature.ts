// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { readSetting } from "../lib/settings";
import { SECOND } from "../lib/time";

/** How far the moment of signing may be from our own time, in either direction. */
export const TOLERANCE = 5 * 60 * SECOND;

/** Return whether Paywell signed a body, and not too long ago. */
export async function isSigned(header: string | null, body: ArrayBuffer): Promise<boolean> {
  let moment: string | undefined;
  const signatures: string[] = [];
  for (const part of (header ?? "").split(",")) {
    const equals = part.indexOf("=");
    const name = part.slice(0, Math.max(equals, 0)).trim();
    const value = part.slice(equals + 1).trim();
    if (name === "t") {
      moment ??= value;
    } else if (name === "v1") {
      signatures.push(value.toLowerCase());
    }
  }
  if (moment === undefined || !/^\d+$/.test(moment)) {
    return false;
  }
  if (Math.abs(Number(moment) * SECOND - Date.now()) > TOLERANCE) {
    return false;
  }
  for (const name of ["PAYWELL_SECRET", "PAYWELL_SECRET_OLD"]) {
    const secret = readSetting(name);
    if (secret !== undefined) {
      const expected = await sign(secret, moment, body);
      if (signatures.some((signature) => isSame(signature, expected))) {
        return true;
      }
    }
  }
  return false;
}

async function sign(secret: string, moment: string, body: ArrayBuffer): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const head = new TextEncoder().encode(`${moment}.`);
  const signed = new Uint8Array(head.length + body.byteLength);
  signed.set(head);
  signed.set(new Uint8Array(body), head.length);
  const mac = await crypto.subtle.sign("HMAC", key, signed);
  return [...new Uint8Array(mac)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Compare two texts in a time that does not tell where they differ. */
function isSame(a: string, b: string): boolean {
  if (a.length !== b.length) {
    return false;
  }
  let difference = 0;
  for (let i = 0; i < a.length; i++) {
    difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  }
  return difference === 0;
}
