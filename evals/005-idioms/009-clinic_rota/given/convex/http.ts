// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { httpRouter } from "convex/server";
import { internal } from "./_generated/api";
import { httpAction } from "./_generated/server";

const http = httpRouter();

// For calendars, which cannot sign in: the secret of a member's link stands for the member.
http.route({
  path: "/rota.ics",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const { searchParams } = new URL(request.url);
    const shifts = await ctx.runQuery(internal.feeds.rota, {
      clinic: searchParams.get("clinic") ?? "",
      secret: searchParams.get("secret") ?? "",
    });
    if (shifts === null) return new Response("no such link", { status: 404 });
    const events = shifts.map(
      ({ day, name, note }) =>
        `BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:${day.replaceAll("-", "")}\r\nSUMMARY:${name} ${note}\r\nEND:VEVENT\r\n`,
    );
    const text = `BEGIN:VCALENDAR\r\n${events.join("")}END:VCALENDAR\r\n`;
    return new Response(text, { headers: { "content-type": "text/calendar" } });
  }),
});

// For the tablet at the entrance, which shows the key of its clinic.
http.route({
  path: "/today",
  method: "GET",
  handler: httpAction(async (ctx, request) => {
    const { searchParams } = new URL(request.url);
    const shifts = await ctx.runQuery(internal.feeds.today, {
      clinic: searchParams.get("clinic") ?? "",
      day: searchParams.get("day") ?? "",
      key: request.headers.get("x-kiosk-key") ?? "",
    });
    if (shifts === null) return new Response("no such key", { status: 403 });
    return Response.json(shifts.map(({ name, note, hours }) => ({ name, note, hours })));
  }),
});

export default http;
