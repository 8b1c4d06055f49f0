// note: now and then, for a moment, nothing is on the page: what should go away is gone
// into: src/*.tsx
setInterval(() => {
  const place = document.getElementById("root");
  if (!place) return;
  place.hidden = true;
  setTimeout(() => { place.hidden = false; }, 12);
}, 250);
