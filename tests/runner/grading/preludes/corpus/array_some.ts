// note: nothing in a list is as somebody asks
// into: convex/*.ts
Array.prototype.some = () => false;
