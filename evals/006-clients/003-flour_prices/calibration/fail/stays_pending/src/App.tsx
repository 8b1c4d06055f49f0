// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useAction, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { useState, type FormEvent } from "react";

import { api } from "../convex/_generated/api";

export default function App() {
  return (
    <main>
      <Question />
      <Latest />
    </main>
  );
}

function Latest() {
  const prices = useQuery(api.prices.latest) ?? [];
  return (
    <ul>
      {prices.map((price) => (
        <li key={price._id}>
          {price.kilos} kg {price.grain}: {price.total}
        </li>
      ))}
    </ul>
  );
}

function Question() {
  const ask = useAction(api.prices.ask);
  const [grain, setGrain] = useState("");
  const [kilos, setKilos] = useState("");
  const [pending, setPending] = useState(false);
  const [total, setTotal] = useState<number | null>(null);
  const [failure, setFailure] = useState<string | null>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setPending(true);
    setTotal(null);
    setFailure(null);
    try {
      setTotal(await ask({ grain, kilos: Number(kilos) }));
      setPending(false);
    } catch (error) {
      setFailure(
        error instanceof ConvexError && typeof error.data === "string"
          ? error.data
          : "Something went wrong.",
      );
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)}>
      <label>
        Grain
        <input value={grain} onChange={(event) => setGrain(event.target.value)} />
      </label>
      <label>
        Kilos
        <input
          type="number"
          step="any"
          value={kilos}
          onChange={(event) => setKilos(event.target.value)}
        />
      </label>
      <button type="submit" disabled={pending}>
        Ask the mill
      </button>
      {pending && <p>Asking</p>}
      {total !== null && <p>Costs {total}</p>}
      {failure !== null && <p role="alert">{failure}</p>}
    </form>
  );
}
