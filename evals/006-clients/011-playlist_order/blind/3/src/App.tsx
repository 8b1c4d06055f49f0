// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";

import { api } from "../convex/_generated/api";
import type { Id } from "../convex/_generated/dataModel";
import { Header } from "./Header";
import { RunningOrder } from "./order/RunningOrder";

/** The page of a show. */
export default function App({ show: id }: { show: Id<"shows"> }) {
  const show = useQuery(api.shows.get, { show: id });
  if (show === undefined) return <p>Loading show</p>;
  if (show === null) return <p>No such show</p>;
  return (
    <main>
      <Header show={show} />
      <RunningOrder key={show._id} show={show} />
    </main>
  );
}
