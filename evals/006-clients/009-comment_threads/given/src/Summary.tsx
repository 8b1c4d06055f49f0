// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";

import { api } from "../convex/_generated/api";
import type { Id } from "../convex/_generated/dataModel";

export function Summary({ document }: { document: Id<"documents"> }) {
  const summary = useQuery(api.documents.summary, { document });
  if (summary === undefined) return <p>Loading document</p>;
  if (summary === null) return <p>No such document</p>;
  return (
    <header>
      <h1>{summary.title}</h1>
      <p id="summary">{`${summary.open} open, ${summary.resolved} resolved`}</p>
    </header>
  );
}
