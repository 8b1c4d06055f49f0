// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
import { useQuery } from "convex/react";
import { useState } from "react";

import { api } from "../../convex/_generated/api";
import { LabelFilter, type Label } from "./LabelFilter";
import { List } from "./List";
import { MyCards } from "./MyCards";
import { useMoves } from "./useMoves";

export function Board({ me }: { me: string }) {
  const lists = useQuery(api.lists.overview);
  const moves = useMoves();
  const [label, setLabel] = useState<Label | undefined>(undefined);
  if (lists === undefined) return <p>Loading board</p>;
  return (
    <>
      <LabelFilter label={label} onChange={setLabel} />
      {lists.map((list) => (
        <List key={list._id} list={list} lists={lists} label={label} moves={moves} />
      ))}
      <MyCards me={me} lists={lists} moves={moves} />
    </>
  );
}
