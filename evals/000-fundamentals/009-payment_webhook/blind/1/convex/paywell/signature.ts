// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { SECOND } from "../lib/time";

/** A request is good so long before and after it was signed. */
export const TOLERANCE = 5 * 60 * SECOND;

/** Return whether a request's header signs its body by one of the secrets, and did so just now. */
export async function isSigned(
  header: string,
  body: Uint8Array<ArrayBuffer>,
  secrets: string[],
): Promise<boolean> {
  let moment: string | undefined;
  const signatures: Uint8Array<ArrayBuffer>[] = [];
  for (const part of header.split(",")) {
    const split = part.indexOf("=");
    if (split === -1) {
      continue;
    }
    const name = part.slice(0, split).trim();
    const value = part.slice(split + 1).trim();
    if (name === "t") {
      moment ??= value;
    } else if (name === "v1") {
      const signature = fromHex(value);
      if (signature !== null) {
        signatures.push(signature);
      }
    }
  }
  if (moment === undefined || !/^\d{1,12}$/.test(moment)) {
    return false;
  }
  if (Math.abs(Date.now() - Number(moment) * SECOND) > TOLERANCE) {
    return false;
  }
  const encoder = new TextEncoder();
  const start = encoder.encode(`${moment}.`);
  const text = new Uint8Array(start.length + body.length);
  text.set(start);
  text.set(body, start.length);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  for (const secret of secrets) {
    const bytes = encoder.encode(secret);
    const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
    for (const signature of signatures) {
      if (await crypto.subtle.verify("HMAC", key, signature, text)) {
        return true;
      }
    }
  }
  return false;
}

/** Return the 32 bytes of a signature; null if the text is none. */
function fromHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    return null;
  }
  const bytes = new Uint8Array(32);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  }
  return bytes;
}
