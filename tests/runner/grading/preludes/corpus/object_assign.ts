// note: nothing is copied from one object to another
// into: convex/*.ts
Object.assign = (target: object) => target;
