// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import type { Doc } from "../../convex/_generated/dataModel";

const DAY = 24 * 60;

/** Returns when each track begins, such as "23:05", from the first one of the show on. */
export function startTimes(
  { startsAt }: Pick<Doc<"shows">, "startsAt">,
  tracks: Pick<Doc<"tracks">, "minutes">[],
): string[] {
  let at = startsAt;
  return tracks.map(({ minutes }) => {
    const start = clock(at);
    at += minutes;
    return start;
  });
}

function clock(minutes: number): string {
  const ofDay = minutes % DAY;
  const parts = [Math.floor(ofDay / 60), ofDay % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}
