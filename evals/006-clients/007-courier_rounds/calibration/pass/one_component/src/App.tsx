// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useConvex, useQuery } from "convex/react";
import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionArgs } from "convex/server";
import { ConvexError } from "convex/values";
import { useState, type ReactNode } from "react";

import { api } from "../convex/_generated/api";
import type { Doc } from "../convex/_generated/dataModel";

type Parcel = Doc<"parcels">;

function given(store: OptimisticLocalStore, args: FunctionArgs<typeof api.parcels.give>) {
  const waiting = store.getQuery(api.parcels.waiting, {}) ?? [];
  for (const { args: of, value } of store.getAllQueries(api.parcels.ofCourier)) {
    if (of.courier !== args.courier || !value) continue;
    const moved = waiting.filter(({ _id }) => _id === args.parcel);
    const later = ({ _creationTime: at }: Parcel) => moved.every((one) => at > one._creationTime);
    const round = [...value.filter((one) => !later(one)), ...moved, ...value.filter(later)];
    store.setQuery(api.parcels.ofCourier, of, round);
  }
  drop(store, args);
}

function drop(store: OptimisticLocalStore, { parcel }: { parcel: Parcel["_id"] }) {
  const left = store.getQuery(api.parcels.waiting, {})?.filter(({ _id }) => _id !== parcel);
  if (left) store.setQuery(api.parcels.waiting, {}, left);
}

function delivered(store: OptimisticLocalStore, { parcel }: { parcel: Parcel["_id"] }) {
  for (const { args, value } of store.getAllQueries(api.parcels.ofCourier)) {
    if (value?.some(({ _id }) => _id === parcel)) {
      store.setQuery(api.parcels.ofCourier, args, value.filter(({ _id }) => _id !== parcel));
    }
  }
}

function App() {
  const convex = useConvex();
  const couriers = useQuery(api.couriers.list, {});
  const [name, setName] = useState("None");
  const [alert, setAlert] = useState("");
  const courier = couriers?.find((one) => one.name === name)?._id;
  const waiting = useQuery(api.parcels.waiting, {});
  const round = useQuery(api.parcels.ofCourier, courier ? { courier } : "skip");

  const done = () => setAlert("");
  const failed = (error: unknown) =>
    setAlert(error instanceof ConvexError ? (error.data as string) : "Not done.");

  const give = (parcel: Parcel["_id"]) => {
    if (!courier) return;
    const options = { optimisticUpdate: given };
    convex.mutation(api.parcels.give, { parcel, courier }, options).then(done, failed);
  };
  const deliver = (parcel: Parcel["_id"]) => {
    const options = { optimisticUpdate: delivered };
    convex.mutation(api.parcels.deliver, { parcel }, options).then(done, failed);
  };

  const isKnown = waiting && (!courier || round);
  const sum = isKnown ? [`${waiting.length} waiting`, ...(round ? [`${round.length} given`] : [])] : [];
  return (
    <>
      <p id="sum">{isKnown ? sum.join(", ") : "Counting"}</p>
      <label htmlFor="courier">Courier</label>
      <select id="courier" value={name} onChange={({ target }) => setName(target.value)}>
        <option>None</option>
        {couriers?.map((one) => <option key={one._id}>{one.name}</option>)}
      </select>
      {alert && <div role="alert">{alert}</div>}
      <section id="waiting">
        {list(waiting, "Loading parcels", "No parcels waiting", ({ _id }) => (
          <button disabled={!courier} onClick={() => give(_id)}>
            Give
          </button>
        ))}
      </section>
      <section id="round">
        {courier
          ? list(round, "Loading round", "Nothing to deliver", ({ _id }) => (
              <button onClick={() => deliver(_id)}>Deliver</button>
            ))
          : "Choose a courier"}
      </section>
    </>
  );
}

function list(
  parcels: Parcel[] | undefined,
  loading: string,
  none: string,
  button: (parcel: Parcel) => ReactNode,
) {
  if (!parcels) return loading;
  if (!parcels.length) return none;
  return (
    <ol>
      {parcels.map((parcel) => (
        <li key={parcel._id}>
          <span>{parcel.address}</span> {button(parcel)}
        </li>
      ))}
    </ol>
  );
}

export default App;
