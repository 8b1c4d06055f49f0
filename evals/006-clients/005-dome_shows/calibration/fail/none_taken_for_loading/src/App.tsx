// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import { useState } from "react";

import { api } from "../convex/_generated/api";

export default function App() {
  const [typed, setTyped] = useState("");
  const code = typed.trim().toUpperCase();

  return (
    <main>
      <label>
        Code
        <input value={typed} onChange={(event) => setTyped(event.target.value)} />
      </label>
      <Show code={/^[0-9A-Z]{3}$/.test(code) ? code : null} />
    </main>
  );
}

function Show({ code }: { code: string | null }) {
  const show = useQuery(api.shows.byCode, code === null ? "skip" : { code });

  if (code === null) return <p>Type the three characters of a code</p>;
  if (!show) return <p>Looking up {code}</p>;
  return (
    <article>
      <h1>{show.title}</h1>
      <p>{show.seats} seats left</p>
    </article>
  );
}
