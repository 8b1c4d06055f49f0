// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const levels = ["green", "yellow", "orange", "red"] as const;

class BadBody extends Error {}

function check(holds: boolean): asserts holds {
  if (!holds) throw new BadBody();
}

function understood(text: string) {
  const body = JSON.parse(text);
  check(typeof body === "object" && body !== null);
  const { event, volcano, sequence } = body;
  check(typeof event === "string" && event.length > 0);
  check(typeof volcano === "string" && volcano.length > 0);
  check(typeof sequence === "number" && sequence >= 0 && sequence % 1 === 0);
  const level = levels.find((one) => one === body.level);
  check(level !== undefined);
  return { event, volcano, level, sequence };
}

export const alerts = httpAction(async ({ runMutation }, request) => {
  const given = request.headers.get("x-observatory-key");
  if (!given || given !== process.env.OBSERVATORY_KEY) return new Response(null, { status: 401 });
  try {
    const alert = understood(await request.text());
    return Response.json({ outcome: await runMutation(internal.alerts.receive, alert) });
  } catch (error) {
    if (error instanceof BadBody || error instanceof SyntaxError) {
      return new Response(null, { status: 400 });
    }
    throw error;
  }
});
