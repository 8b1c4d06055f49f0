// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { useState, type FormEvent } from "react";

import { api } from "../convex/_generated/api";
import type { Id } from "../convex/_generated/dataModel";

const EVENINGS = ["friday", "saturday"];

export default function App() {
  return (
    <main>
      <NewDance />
      {EVENINGS.map((evening) => (
        <Programme key={evening} evening={evening} />
      ))}
    </main>
  );
}

function Programme({ evening }: { evening: string }) {
  const dances = useQuery(api.dances.programme, { evening });
  return (
    <section id={evening}>
      <h2>{evening}</h2>
      {dances === undefined && <p>Loading</p>}
      {dances?.length === 0 && <p>No dances</p>}
      <ol>
        {dances?.map((dance) => (
          <li key={dance._id}>
            {dance.minute} {dance.name}
          </li>
        ))}
      </ol>
    </section>
  );
}

function NewDance() {
  const [evening, setEvening] = useState("friday");
  const [minute, setMinute] = useState("");
  const [name, setName] = useState("");
  const [refusal, setRefusal] = useState<string | null>(null);
  const add = useMutation(api.dances.add).withOptimisticUpdate((store, dance) => {
    const args = { evening: dance.evening };
    const dances = store.getQuery(api.dances.programme, args);
    if (dances === undefined) return;
    const later = dances.findIndex((one) => one.minute > dance.minute);
    const place = later === -1 ? dances.length : later;
    const added = {
      ...dance,
      _id: crypto.randomUUID() as Id<"dances">,
      _creationTime: Date.now(),
    };
    store.setQuery(api.dances.programme, args, dances.toSpliced(place, 0, added));
  });

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setMinute("");
    setName("");
    try {
      await add({ evening, minute: Number(minute), name });
      setRefusal(null);
    } catch (error) {
      setRefusal(error instanceof ConvexError ? String(error.data) : "Something went wrong.");
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)}>
      <label>
        Evening
        <select value={evening} onChange={(event) => setEvening(event.target.value)}>
          {EVENINGS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        Minute
        <input
          type="number"
          value={minute}
          onChange={(event) => setMinute(event.target.value)}
        />
      </label>
      <label>
        Name
        <input value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <button type="submit">Add</button>
      {refusal !== null && <p role="alert">{refusal}</p>}
    </form>
  );
}
