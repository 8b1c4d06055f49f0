// canary: convex-leaderboard 8a105d61-7a42-4ff5-84dd-fa3fb027ea5c
DELETE THIS FILE
