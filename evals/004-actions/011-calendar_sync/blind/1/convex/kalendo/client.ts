// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { v, type Infer } from "convex/values";

/*
 * Kalendo keeps calendars. The parts of its manual that we need, in short.
 *
 * An event is { id, version, title, start, end }. `version` is a number, which grows with every change
 * of the event. The id stays, also when the event is moved to another calendar.
 *
 * GET /v1/calendars/CALENDAR/events             all events of the calendar
 * GET /v1/calendars/CALENDAR/events?since=TEXT  only what has changed since `nextSync` was TEXT
 * GET /v1/calendars/CALENDAR/events?page=TEXT   the next page of either
 *
 *   200  { events, nextPage }   a page, and the name of the next one
 *   200  { events, nextSync }   the last page. `nextSync` stands for the moment of the first one.
 *   410                         `since` is too old: read all events.
 *
 *   With `since`, an event that is no longer in the calendar is { id, version, deleted: true }. If it was
 *   moved, `movedTo` has the id of its new calendar, which lists the event with that same version.
 *   A page has at most 100 events. What changes while pages are read is listed again by a later page or
 *   by the next sync, so that the same event can come twice, and an older version after a newer one.
 *
 * PUT /v1/events/ID   { title, start, end }
 *   200  { id, version }    changed
 *   404                     the event was deleted
 *
 * DELETE /v1/events/ID
 *   200  { id, version }    deleted
 *   404                     it was deleted before
 *
 * Any other status, or no answer: it is not known whether the request was carried out. Requests about one
 * event that are under way at the same time are carried out in any order.
 */

export const BASE = "https://api.kalendo.test/v1";

export const kalendoChange = v.union(
  v.object({
    deleted: v.literal(false),
    id: v.string(),
    version: v.number(),
    title: v.string(),
    start: v.number(),
    end: v.number(),
  }),
  v.object({
    deleted: v.literal(true),
    id: v.string(),
    version: v.number(),
    movedTo: v.optional(v.string()),
  }),
);

export type KalendoChange = Infer<typeof kalendoChange>;

export type Page = { events: KalendoChange[]; nextPage?: string; nextSync?: string };

function fail(): never {
  throw new Error("Kalendo's answer is not understood");
}

function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) fail();
  return value as Record<string, unknown>;
}

function changeOf(value: unknown): KalendoChange {
  const { id, version, title, start, end, deleted, movedTo } = recordOf(value);
  if (typeof id !== "string" || typeof version !== "number") fail();
  if (deleted === true) {
    return typeof movedTo === "string"
      ? { deleted, id, version, movedTo }
      : { deleted, id, version };
  }
  if (typeof title !== "string" || typeof start !== "number" || typeof end !== "number") fail();
  return { deleted: false, id, version, title, start, end };
}

/** Returns a page of a calendar's events, or of what has changed; null if `since` is too old. */
export async function readEvents(
  calendar: string,
  since: string | null,
  page: string | null,
): Promise<Page | null> {
  let search = "";
  if (page !== null) search = `?page=${encodeURIComponent(page)}`;
  else if (since !== null) search = `?since=${encodeURIComponent(since)}`;
  const response = await request("GET", `/calendars/${encodeURIComponent(calendar)}/events${search}`);
  if (response.status === 410 && since !== null) return null;
  if (response.status !== 200) throw new Error(`Kalendo answered with ${response.status}`);
  const { events, nextPage, nextSync } = recordOf(await response.json());
  if (!Array.isArray(events)) fail();
  const list: unknown[] = events;
  const changes = list.map(changeOf);
  if (typeof nextPage === "string") return { events: changes, nextPage };
  if (typeof nextSync === "string") return { events: changes, nextSync };
  return fail();
}

/** Tells a change, or null for a deletion. Returns the new version; null if the event was deleted. */
export async function writeEvent(
  id: string,
  wanted: { title: string; start: number; end: number } | null,
): Promise<number | null> {
  const path = `/events/${encodeURIComponent(id)}`;
  const response =
    wanted === null ? await request("DELETE", path) : await request("PUT", path, wanted);
  if (response.status === 404) return null;
  if (response.status !== 200) throw new Error(`Kalendo answered with ${response.status}`);
  const { version } = recordOf(await response.json());
  return typeof version === "number" ? version : fail();
}

export async function request(method: string, path: string, body?: object): Promise<Response> {
  return await fetch(`${BASE}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${process.env.KALENDO_TOKEN ?? ""}`,
      "Content-Type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
