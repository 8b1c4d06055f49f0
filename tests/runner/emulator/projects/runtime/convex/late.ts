export const loadedAt = Date.now();
