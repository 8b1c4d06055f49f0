export default function App(): never {
  const held: Uint8Array[] = [];
  for (;;) held.push(new Uint8Array(100_000_000).fill(held.length));
}
