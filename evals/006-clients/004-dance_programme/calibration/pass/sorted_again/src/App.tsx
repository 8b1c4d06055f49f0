// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useConvex, useQuery } from "convex/react";
import type { FunctionArgs } from "convex/server";
import { ConvexError } from "convex/values";
import { useRef, useState } from "react";
import type { OptimisticLocalStore } from "convex/browser";

import { api } from "../convex/_generated/api";
import type { Doc } from "../convex/_generated/dataModel";

type New = FunctionArgs<typeof api.dances.add>;

let count = 0;

/** Puts a dance into the one programme that it belongs to, where that is subscribed and known. */
function showAtOnce(store: OptimisticLocalStore, dance: New) {
  count += 1;
  const id = `new ${count}` as Doc<"dances">["_id"];
  for (const { args, value } of store.getAllQueries(api.dances.programme)) {
    if (!value || args.evening !== dance.evening) continue;
    const all = [...value, { ...dance, _id: id, _creationTime: Infinity }];
    // Sorting is stable: what is last in its minute stays last.
    all.sort((one, other) => one.minute - other.minute);
    store.setQuery(api.dances.programme, args, all);
  }
}

function App() {
  const convex = useConvex();
  const friday = useQuery(api.dances.programme, { evening: "friday" });
  const saturday = useQuery(api.dances.programme, { evening: "saturday" });
  const [alert, setAlert] = useState("");
  const form = useRef<HTMLFormElement>(null);

  const send = (typed: FormData) => {
    const dance = {
      evening: String(typed.get("evening")),
      minute: Number(typed.get("minute")),
      name: String(typed.get("name")),
    };
    convex.mutation(api.dances.add, dance, { optimisticUpdate: showAtOnce }).then(
      () => setAlert(""),
      (error: unknown) => setAlert(error instanceof ConvexError ? (error.data as string) : "?"),
    );
  };

  return (
    <>
      {alert && <div role="alert">{alert}</div>}
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          send(new FormData(event.currentTarget));
          for (const id of ["minute", "name"]) {
            const field = event.currentTarget.elements.namedItem(id);
            if (field instanceof HTMLInputElement) field.value = "";
          }
        }}
      >
        <label htmlFor="evening">Evening</label>
        <select id="evening" name="evening">
          <option>friday</option>
          <option>saturday</option>
        </select>
        <label htmlFor="minute">Minute</label>
        <input id="minute" name="minute" type="number" />
        <label htmlFor="name">Name</label>
        <input id="name" name="name" />
        <button>Add</button>
      </form>
      <section id="friday">{entries(friday)}</section>
      <section id="saturday">{entries(saturday)}</section>
    </>
  );
}

function entries(dances: Doc<"dances">[] | undefined) {
  if (!dances) return "Loading";
  if (!dances.length) return "No dances";
  return <ul>{dances.map(({ _id, minute, name }) => <li key={_id}>{`${minute} ${name}`}</li>)}</ul>;
}

export default App;
