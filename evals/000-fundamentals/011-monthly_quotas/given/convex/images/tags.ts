// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
/** Return the tags that an address of an image tells by itself. */
export function guessTags(url: string): string[] {
  const words = new URL(url).pathname.toLowerCase().match(/[a-z]{3,}/g) ?? [];
  return [...new Set(words)].slice(0, 10);
}

/** Return whether a text is an address at which an image can be. */
export function isAddress(text: unknown): text is string {
  return typeof text === "string" && URL.canParse(text) && text.startsWith("https://");
}
