// note: errors of Convex are not known as such
// into: convex/*.ts
Symbol.for = ((_name: string) => Symbol.iterator) as unknown as typeof Symbol.for;
