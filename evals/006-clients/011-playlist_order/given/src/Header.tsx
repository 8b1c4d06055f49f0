// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";

import { api } from "../convex/_generated/api";
import type { Doc } from "../convex/_generated/dataModel";

/** The show's name, and what is played next. */
export function Header({ show }: { show: Doc<"shows"> }) {
  const next = useQuery(api.tracks.next, { show: show._id });
  return (
    <header>
      <h1>{show.name}</h1>
      {show.isFrozen && <p>The order is frozen</p>}
      {next === undefined && <p>Loading next track</p>}
      {next && <p id="next">{`Next: ${next.title}`}</p>}
      {next === null && <p id="next">All tracks were played</p>}
    </header>
  );
}
