// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { ConvexError } from "convex/values";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

function reply(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/json" },
  });
}

/** For the extension in the browser, which sends the user's own login. */
http.route({
  path: "/me",
  method: "GET",
  handler: httpAction(async (ctx) => {
    try {
      return reply(200, await ctx.runQuery(internal.users.profile.whoIs, {}));
    } catch (error) {
      if (error instanceof ConvexError && error.data.code === "not_signed_in") {
        return reply(401, { error: "not_signed_in" });
      }
      throw error;
    }
  }),
});

/** For companies' directories, which have the key of our connector. */
http.route({
  path: "/directory",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const key = process.env.DIRECTORY_KEY ?? "";
    if (key === "" || request.headers.get("Authorization") !== `Bearer ${key}`) {
      return reply(401, { error: "not_allowed" });
    }
    const { workspace, emails } = (await request.json()) as {
      workspace: string;
      emails: string[];
    };
    const taken = await ctx.runMutation(internal.directory.sync.takeOver, { workspace, emails });
    return taken === null ? reply(404, { error: "not_found" }) : reply(200, taken);
  }),
});

const JOIN_REFUSALS = new Map<unknown, number>([
  ["not_signed_in", 401],
  ["other_address", 403],
  ["not_found", 404],
  ["no_seat", 409],
]);

/** For the page of an invitation's link, which sends the user's own login. */
http.route({
  path: "/join",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const body: unknown = await request.json().catch(() => null);
    const given = typeof body === "object" && body !== null && "token" in body ? body.token : null;
    // What is no token is no good invitation either.
    const token = typeof given === "string" ? given : "";
    try {
      return reply(200, await ctx.runMutation(internal.invitations.manage.join, { token }));
    } catch (error) {
      const code: unknown = error instanceof ConvexError ? error.data.code : undefined;
      const status = JOIN_REFUSALS.get(code);
      if (status === undefined) {
        throw error;
      }
      return reply(status, { error: code });
    }
  }),
});

export default http;
