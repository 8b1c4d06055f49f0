export default function App(): never {
  const held: object[][] = [];
  for (;;) held.push(Array.from({ length: 1_000_000 }, () => ({})));
}
