// Sorts and filters the table, opens the entry a link points to, opens all for print. The page reads without it.
(() => {
  "use strict";
  const table = document.getElementById("entries");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);
  const field = (id) => document.getElementById(id);
  const search = field("search"), kind = field("kind"), outcome = field("outcome"), order = field("order");

  const value = (row, column) => row.cells[column].dataset.sort ?? row.cells[column].textContent.trim();
  const compare = (numeric) => (a, b) => {
    if (a === b) return 0;
    if (a === "") return 1;
    if (b === "") return -1;
    return numeric ? Number(a) - Number(b) : a.localeCompare(b, "en", { numeric: true });
  };

  function sort(column, descending) {
    const numeric = heads[column].dataset.type === "number";
    const by = compare(numeric);
    rows.sort((a, b) => {
      const x = value(a, column), y = value(b, column);
      return descending && x !== "" && y !== "" ? by(y, x) : by(x, y);
    });
    body.append(...rows);
    heads.forEach((head, place) => {
      if (place === column) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    order.value = String(column);
  }

  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(column, head.getAttribute("aria-sort") === "ascending"));
    head.append(button);
    order.add(new Option(button.textContent.trim(), String(column)));
  });
  order.addEventListener("change", () => order.value !== "" && sort(Number(order.value), false));

  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.dataset.text ??= row.textContent.toLowerCase();
      const keep = words.every((word) => text.includes(word))
        && (!kind.value || row.dataset.kind === kind.value)
        && (!outcome.value || row.dataset.outcome === outcome.value);
      row.hidden = !keep;
      shown += keep;
    }
    field("shown").textContent = `${shown} of ${rows.length} shown`;
  }
  search.addEventListener("input", filter);
  kind.addEventListener("change", filter);
  outcome.addEventListener("change", filter);

  function reveal() {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const target = name && document.getElementById(name);
    const entry = target && target.closest("details");
    if (!entry) return;
    entry.open = true;
    target.scrollIntoView();
    entry.querySelector("summary").focus({ preventScroll: true });
  }
  addEventListener("hashchange", reveal);

  const all = Array.from(document.querySelectorAll("details"));
  const open = (state) => all.forEach((entry) => { entry.open = state; });
  field("open-all").addEventListener("click", () => open(true));
  field("close-all").addEventListener("click", () => open(false));
  let before = [];
  addEventListener("beforeprint", () => { before = all.filter((entry) => !entry.open); open(true); });
  addEventListener("afterprint", () => { before.forEach((entry) => { entry.open = false; }); });

  document.querySelectorAll("[data-script]").forEach((part) => { part.hidden = false; });
  filter();
  reveal();
})();
