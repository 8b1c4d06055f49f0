export const shared = { now: Date.now(), random: Math.random() };
