// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQueries } from "convex/react";
import type { FunctionReturnType } from "convex/server";
import { useMemo, useState } from "react";

import { api } from "../convex/_generated/api";

type Show = FunctionReturnType<typeof api.shows.byCode>;

function isCode(text: string) {
  return text.length === 3 && [...text].every((one) => "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".includes(one));
}

export default function App() {
  const [typed, setTyped] = useState("");
  const wanted = typed.trim().toUpperCase();
  const asked = useMemo(
    () => (isCode(wanted) ? { [wanted]: { query: api.shows.byCode, args: { code: wanted } } } : {}),
    [wanted],
  );
  const answers = useQueries(asked) as Record<string, Show | Error | undefined>;
  return (
    <>
      <input aria-label="Code" value={typed} onChange={({ target }) => setTyped(target.value)} />
      <div>{isCode(wanted) ? about(wanted, answers[wanted]) : "Type the three characters of a code"}</div>
    </>
  );
}

function about(code: string, show: Show | Error | undefined) {
  if (show === undefined) return `Looking up ${code}`;
  if (show === null) return `There is no show ${code}`;
  if (show instanceof Error) throw show;
  return [<h2 key="title">{show.title}</h2>, <span key="seats">{show.seats} seats left</span>];
}
