// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useMutation, useQuery } from "convex/react";
import { useState, type FormEvent } from "react";

import { api } from "../convex/_generated/api";

export default function App() {
  return (
    <main>
      <AcceptForm />
      <OpenRepairs />
    </main>
  );
}

function OpenRepairs() {
  const repairs = useQuery(api.repairs.listOpen);
  const finish = useMutation(api.repairs.finish);

  if (repairs === undefined) return <p>Loading repairs</p>;
  if (repairs.length === 0) return <p>No open repairs</p>;
  return (
    <ul>
      {repairs.map((repair) => (
        <li key={repair._id}>
          <strong>{repair.item}</strong> <span>{repair.fault}</span>
          <button type="button" onClick={() => void finish({ id: repair._id })}>
            Finish
          </button>
        </li>
      ))}
    </ul>
  );
}

function AcceptForm() {
  const accept = useMutation(api.repairs.accept);
  const [item, setItem] = useState("");
  const [fault, setFault] = useState("");

  const submit = (event: FormEvent) => {
    event.preventDefault();
    void accept({ item, fault });
    setItem("");
    setFault("");
  };

  return (
    <form onSubmit={submit}>
      <label>
        Item
        <input value={item} onChange={(event) => setItem(event.target.value)} />
      </label>
      <label>
        Fault
        <input value={fault} onChange={(event) => setFault(event.target.value)} />
      </label>
      <button type="submit">
        Accept
      </button>
    </form>
  );
}
