// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useConvex, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { useRef, useState } from "react";

import { api } from "../convex/_generated/api";
import type { Doc } from "../convex/_generated/dataModel";

function App() {
  const convex = useConvex();
  const open = useQuery(api.repairs.listOpen, {});
  const form = useRef<HTMLFormElement>(null);
  const [state, setState] = useState<{ busy: boolean; refusal?: string }>({ busy: false });

  function send() {
    const current = form.current;
    if (current === null) return;
    const typed = new FormData(current);
    setState((before) => ({ ...before, busy: true }));
    convex
      .mutation(api.repairs.accept, {
        item: String(typed.get("item")),
        fault: String(typed.get("fault")),
      })
      .then(
        () => {
          current.reset();
          setState({ busy: false });
        },
        (reason: unknown) => {
          const data: unknown = reason instanceof ConvexError ? reason.data : undefined;
          setState({ busy: false, refusal: typeof data === "string" ? data : "Not stored." });
        },
      );
  }

  return (
    <>
      <h1>Repair bench</h1>
      {state.refusal && <div role="alert">{state.refusal}</div>}
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <label htmlFor="item">Item</label>
        <input id="item" name="item" type="text" />
        <label htmlFor="fault">Fault</label>
        <textarea id="fault" name="fault" />
        <button disabled={state.busy}>Accept</button>
      </form>
      {open === undefined ? "Loading repairs" : open.length > 0 ? <List open={open} /> : "No open repairs"}
    </>
  );
}

function List({ open }: { open: Doc<"repairs">[] }) {
  const convex = useConvex();
  return (
    <ul>
      {open.map(({ _id, item, fault }) => (
        <li key={_id}>
          {item}: {fault}{" "}
          <button onClick={() => void convex.mutation(api.repairs.finish, { id: _id })}>Finish</button>
        </li>
      ))}
    </ul>
  );
}

export default App;
