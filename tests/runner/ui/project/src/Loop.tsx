export default function App(): never {
  for (;;);
}
