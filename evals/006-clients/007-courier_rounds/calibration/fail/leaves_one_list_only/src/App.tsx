// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { useState } from "react";

import { api } from "../convex/_generated/api";
import type { Doc, Id } from "../convex/_generated/dataModel";

type Chosen = Id<"couriers"> | null;

export default function App() {
  const couriers = useQuery(api.couriers.list) ?? [];
  const [chosen, setChosen] = useState<Chosen>(null);
  const [refusal, setRefusal] = useState<string | null>(null);

  const report = (change: Promise<unknown>) => {
    change.then(
      () => setRefusal(null),
      (error: unknown) => {
        setRefusal(error instanceof ConvexError ? String(error.data) : "Something went wrong.");
      },
    );
  };

  return (
    <main>
      <label>
        Courier
        <select
          value={chosen ?? ""}
          onChange={(event) => {
            const { value } = event.target;
            setChosen(couriers.find((courier) => courier._id === value)?._id ?? null);
          }}
        >
          <option value="">None</option>
          {couriers.map((courier) => (
            <option key={courier._id} value={courier._id}>
              {courier.name}
            </option>
          ))}
        </select>
      </label>
      {refusal !== null && <p role="alert">{refusal}</p>}
      <Sum chosen={chosen} />
      <Waiting chosen={chosen} report={report} />
      <Round chosen={chosen} report={report} />
    </main>
  );
}

function useRound(chosen: Chosen) {
  return useQuery(api.parcels.ofCourier, chosen === null ? "skip" : { courier: chosen });
}

function Sum({ chosen }: { chosen: Chosen }) {
  const waiting = useQuery(api.parcels.waiting);
  const round = useRound(chosen);
  return <p id="sum">{said()}</p>;

  function said() {
    if (waiting === undefined) return "Counting";
    if (chosen === null) return `${waiting.length} waiting`;
    if (round === undefined) return "Counting";
    return `${waiting.length} waiting, ${round.length} given`;
  }
}

interface Part {
  chosen: Chosen;
  report: (change: Promise<unknown>) => void;
}

function Waiting({ chosen, report }: Part) {
  const parcels = useQuery(api.parcels.waiting);
  const give = useMutation(api.parcels.give).withOptimisticUpdate((store, args) => {
    const waiting = store.getQuery(api.parcels.waiting, {});
    const parcel = waiting?.find((one) => one._id === args.parcel);
    if (waiting === undefined || parcel === undefined) return;
    store.setQuery(
      api.parcels.waiting,
      {},
      waiting.filter((one) => one !== parcel),
    );
  });

  const giveTo = (courier: Id<"couriers">, parcel: Doc<"parcels">) =>
    report(give({ parcel: parcel._id, courier }));
  return (
    <section id="waiting">
      {parcels === undefined && <p>Loading parcels</p>}
      {parcels?.length === 0 && <p>No parcels waiting</p>}
      <ul>
        {parcels?.map((parcel) => (
          <li key={parcel._id}>
            {parcel.address}
            <button
              disabled={chosen === null}
              onClick={() => chosen !== null && giveTo(chosen, parcel)}
            >
              Give
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Round({ chosen, report }: Part) {
  const parcels = useRound(chosen);
  const deliver = useMutation(api.parcels.deliver).withOptimisticUpdate((store, args) => {
    for (const { args: of, value } of store.getAllQueries(api.parcels.ofCourier)) {
      const left = value?.filter((one) => one._id !== args.parcel);
      store.setQuery(api.parcels.ofCourier, of, left);
    }
  });

  return (
    <section id="round">
      {chosen === null && <p>Choose a courier</p>}
      {chosen !== null && parcels === undefined && <p>Loading round</p>}
      {parcels?.length === 0 && <p>Nothing to deliver</p>}
      <ul>
        {parcels?.map((parcel) => (
          <li key={parcel._id}>
            {parcel.address}
            <button onClick={() => report(deliver({ parcel: parcel._id }))}>Deliver</button>
          </li>
        ))}
      </ul>
    </section>
  );
}
