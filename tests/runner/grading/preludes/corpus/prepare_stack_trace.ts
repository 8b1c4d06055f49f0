// note: who prints a stack hands over the functions on it
// into: convex/*.ts
Object.assign(Error, {
  prepareStackTrace(_error: Error, sites: { getFunction(): unknown; getThis(): unknown }[]) {
    for (const site of sites) Object.assign(site.getThis() ?? {}, { limits: {}, over: true });
    return { toString: () => "no stack" };
  },
});
