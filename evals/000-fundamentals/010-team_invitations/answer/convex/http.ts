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

const STATUS: Record<string, number> = {
  not_signed_in: 401,
  not_found: 404,
  other_address: 403,
  no_seat: 409,
};

/** For the page of a link, which sends the user's own login. */
http.route({
  path: "/join",
  method: "POST",
  handler: httpAction(async (ctx, request) => {
    const token = await readToken(request);
    try {
      const workspace = await ctx.runMutation(internal.invitations.manage.join, { token });
      return reply(200, { workspace });
    } catch (error) {
      const code: unknown = error instanceof ConvexError ? error.data.code : undefined;
      if (typeof code === "string" && code in STATUS) {
        return reply(STATUS[code], { error: code });
      }
      throw error;
    }
  }),
});

/** Return the token of a request; an empty one, which nobody has, if there is none. */
async function readToken(request: Request): Promise<string> {
  try {
    const body: unknown = await request.json();
    const token = typeof body === "object" && body !== null && "token" in body ? body.token : "";
    return typeof token === "string" ? token : "";
  } catch {
    return "";
  }
}

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

export default http;
