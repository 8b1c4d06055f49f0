// note: what is frozen can be changed
// into: convex/schema.ts
Object.freeze = (<T>(value: T) => value) as typeof Object.freeze;
