// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
export type Reply = { status: number; text: string; retryAfter: string | null };

/** Returns what the service said, or null where it could not be reached. */
export async function ask(fumarole: string, key: string): Promise<Reply | null> {
  const path = ["v1", "fumaroles", fumarole, "latest"].map(encodeURIComponent).join("/");
  const request = new Request(`https://gas.volcano.test/${path}?unit=ppm`);
  request.headers.set("Authorization", `Bearer ${key}`);
  try {
    const reply = await fetch(request);
    return {
      status: reply.status,
      text: await reply.text(),
      retryAfter: reply.headers.get("Retry-After"),
    };
  } catch {
    return null;
  }
}
