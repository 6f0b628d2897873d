// Filters and sorts the entries, opens the one a link points to, opens what is for paper. The page reads without it.
(() => {
  "use strict";
  const field = (id) => document.getElementById(id);
  const folds = Array.from(document.querySelectorAll("details"));
  const entries = folds.filter((fold) => fold.classList.contains("entry"));

  function reveal() {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const target = name && field(name);
    const entry = target && target.closest("details.entry");
    if (!entry) return;
    if (entry.hidden) { field("filter").reset(); filter(); }
    entry.open = true;
    entry.scrollIntoView();
    entry.querySelector("summary").focus({ preventScroll: true });
  }

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = folds.filter((fold) => !fold.open && fold.closest(".paper"));
    closed.forEach((fold) => { fold.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((fold) => { fold.open = false; }));
  addEventListener("hashchange", reveal);

  function filter() {
    const words = field("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = field("kind").value, outcome = field("outcome").value;
    let shown = 0;
    for (const entry of entries) {
      const text = entry.dataset.text ??= entry.textContent.toLowerCase();
      const keep = words.every((word) => text.includes(word))
        && (!kind || entry.dataset.kind === kind) && (!outcome || entry.dataset.outcome === outcome);
      entry.hidden = !keep;
      shown += keep;
    }
    document.querySelectorAll(".chapter").forEach((chapter) => {
      const left = chapter.querySelectorAll("details.entry:not([hidden])").length;
      chapter.hidden = !left;
      chapter.querySelector(".amount").textContent = left;
    });
    document.querySelectorAll("#entries > section").forEach((part) => {
      part.hidden = !part.querySelector(".chapter:not([hidden])");
    });
    field("shown").textContent = `${shown} of ${entries.length} shown`;
  }

  const places = new Map(entries.map((entry, place) => [entry, place]));
  function key(entry, by) {
    if (by === "name") return entry.querySelector("code").textContent;
    return entry.querySelectorAll("summary .cell")[Number(by)].dataset.sort;
  }
  function compare(a, b, by) {
    const x = key(a, by), y = key(b, by);
    if (by === "name") return x.localeCompare(y, "en", { numeric: true });
    if (x === "" || y === "") return (x === "") - (y === "");
    return Number(y) - Number(x) || 0;
  }
  function sort() {
    const by = field("order").value;
    document.querySelectorAll(".chapter").forEach((chapter) => {
      const own = Array.from(chapter.querySelectorAll("details.entry"));
      own.sort((a, b) => (by && compare(a, b, by)) || places.get(a) - places.get(b));
      chapter.append(...own);
    });
  }

  if (field("filter")) {
    field("filter").addEventListener("submit", (event) => event.preventDefault());
    field("search").addEventListener("input", filter);
    for (const name of ["kind", "outcome"]) field(name).addEventListener("change", filter);
    field("order").addEventListener("change", sort);
    const open = (state) => entries.forEach((entry) => { if (!entry.hidden) entry.open = state; });
    field("open-all").addEventListener("click", () => open(true));
    field("close-all").addEventListener("click", () => open(false));
    addEventListener("keydown", (event) => {
      const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        field("search").focus();
      }
      if (event.key === "Escape" && event.target.id === "search") { event.target.value = ""; filter(); }
    });
    document.querySelectorAll("[data-script]").forEach((part) => { part.hidden = false; });
    filter();
  }
  reveal();
})();
