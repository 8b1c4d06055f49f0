// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** Return what is stored of a key. */
export async function hashKey(key: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
