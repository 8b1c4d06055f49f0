// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useConvex, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { useReducer, useRef } from "react";

import { api } from "../convex/_generated/api";

type State =
  | { is: "idle" }
  | { is: "asking" }
  | { is: "answered"; total: number }
  | { is: "failed"; why: string };

function App() {
  const convex = useConvex();
  const latest = useQuery(api.prices.latest, {});
  const [state, become] = useReducer((_: State, next: State) => next, { is: "idle" });
  const grain = useRef<HTMLInputElement>(null);
  const kilos = useRef<HTMLInputElement>(null);

  const ask = () => {
    become({ is: "asking" });
    const args = { grain: grain.current?.value ?? "", kilos: Number(kilos.current?.value) };
    convex.action(api.prices.ask, args).then(
      (total) => become({ is: "answered", total }),
      (error: unknown) => become({ is: "failed", why: explained(error) }),
    );
  };

  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <label htmlFor="grain">Grain</label>
        <input id="grain" ref={grain} />
        <label htmlFor="kilos">Kilos</label>
        <input id="kilos" type="number" step="0.001" ref={kilos} />
        <button disabled={state.is === "asking"}>Ask the mill</button>
      </form>
      {state.is === "asking" && "Asking"}
      {state.is === "answered" && `Costs ${state.total}`}
      {state.is === "failed" && <div role="alert">{state.why}</div>}
      <ul>
        {latest?.map(({ _id, ...price }) => (
          <li key={_id}>{`${price.kilos} kg ${price.grain}: ${price.total}`}</li>
        ))}
      </ul>
    </>
  );
}

function explained(error: unknown): string {
  if (!(error instanceof ConvexError)) return "Something went wrong.";
  const data: unknown = error.data;
  return typeof data === "string" ? data : "Something went wrong.";
}

export default App;
