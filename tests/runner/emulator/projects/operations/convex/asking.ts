// Functions of each kind that ask the backend for any operation, as Convex's own library does.
import { v } from "convex/values";
import {
  action,
  httpAction,
  internalMutation,
  internalQuery,
  mutation,
  query,
} from "./_generated/server";

type Backend = {
  syscall: (op: string, args: string) => string;
  asyncSyscall: (op: string, args: string) => Promise<string>;
  jsSyscall: (op: string, args: object) => Promise<unknown>;
};
type Asked = { op: string; args: string; way: string };

// In a module's scope there is no Convex; functions find the backend on the real global object.
const outer = new Function("return this")() as { Convex: Backend };

async function ask({ op, args, way }: Asked): Promise<string> {
  const { syscall, asyncSyscall, jsSyscall } = outer.Convex;
  try {
    switch (way) {
      case "at once":
        return `answered: ${syscall(op, args)}`;
      case "script":
        await jsSyscall(op, { ...JSON.parse(args), blob: new Blob(["bytes"]) });
        return "answered";
      case "fetch":
        return `answered: ${(await fetch("https://example.test/")).status}`;
      default:
        return `answered: ${await asyncSyscall(op, args)}`;
    }
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

const one = { op: v.string(), args: v.string(), way: v.string() };

export const aQuery = query({ args: one, handler: (_ctx, asked) => ask(asked) });
export const aMutation = mutation({ args: one, handler: (_ctx, asked) => ask(asked) });
export const anAction = action({ args: one, handler: (_ctx, asked) => ask(asked) });
export const anHttpAction = httpAction(async (_ctx, request) => {
  return new Response(await ask(await request.json()));
});

/** Asks without waiting for the answer, and ends at once. */
function askAndLeave(asked: Asked[]): null {
  for (const { op, args } of asked) void outer.Convex.asyncSyscall(op, args).catch(() => null);
  return null;
}

const many = { asked: v.array(v.object(one)) };

export const leavingQuery = query({ args: many, handler: (_ctx, { asked }) => askAndLeave(asked) });
export const leavingMutation = mutation({
  args: many,
  handler: (_ctx, { asked }) => askAndLeave(asked),
});
export const failingMutation = mutation({
  args: many,
  handler: (_ctx, { asked }) => {
    askAndLeave(asked);
    throw new Error("fails after it has asked");
  },
});

/** Goes on after its own end, with one write after another. */
export const chainedMutation = mutation({
  args: {},
  handler: (ctx) => {
    void (async () => {
      for (let write = 1; write <= 20; write++) await ctx.db.insert("rows", { from: `${write}` });
    })();
  },
});

export const read = internalQuery({ args: {}, handler: () => "read" });
export const write = internalMutation({
  args: { from: v.string() },
  handler: async (ctx, { from }) => {
    await ctx.db.insert("rows", { from });
  },
});
