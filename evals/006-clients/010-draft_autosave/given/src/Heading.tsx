// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";

import { api } from "../convex/_generated/api";
import type { Id } from "../convex/_generated/dataModel";

export function Heading({ conference: id }: { conference: Id<"conferences"> }) {
  const conference = useQuery(api.conferences.get, { conference: id });
  if (conference === undefined) return <p>Loading conference</p>;
  if (conference === null) return <p>No such conference</p>;
  return (
    <header>
      <h1>{conference.name}</h1>
      {conference.isClosed && <p>The programme is closed</p>}
    </header>
  );
}
