// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import type { Infer } from "convex/values";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";
import type { level } from "./schema";

type Level = Infer<typeof level>;
type Alert = { event: string; volcano: string; level: Level; sequence: number };

const LEVELS: readonly unknown[] = ["green", "yellow", "orange", "red"] satisfies Level[];

const http = httpRouter();

http.route({
  path: "/alerts",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const key = request.headers.get("X-Observatory-Key") ?? "";
    if (key !== `${process.env.OBSERVATORY_KEY}`) {
      return new Response("wrong key", { status: 401 });
    }
    const alert = await readAlert(request);
    if (alert === null) {
      return new Response("no alert", { status: 400 });
    }
    const outcome = await ctx.runMutation(internal.alerts.receive, alert);
    return new Response(JSON.stringify({ outcome }), {
      status: 200,
      headers: { "Content-Type": "application/json" },
    });
  }),
});

export default http;

async function readAlert(request: Request): Promise<Alert | null> {
  let body: unknown;
  try {
    body = await request.json();
  } catch {
    return null;
  }
  if (typeof body !== "object" || body === null) {
    return null;
  }
  const { event, volcano, level, sequence } = body as Record<keyof Alert, unknown>;
  if (!isText(event) || !isText(volcano) || !isLevel(level) || !isSequence(sequence)) {
    return null;
  }
  return { event, volcano, level, sequence };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isLevel(value: unknown): value is Level {
  return LEVELS.includes(value);
}

function isSequence(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}
