
"use strict";
// Sorts and filters the table of the page. Without this script it is a plain table.
(() => {
  const table = document.getElementById("standings");
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  const rows = Array.from(body.rows);

  const key = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.value !== undefined) {
      return { "inf": Infinity, "-inf": -Infinity }[cell.dataset.value] ?? Number(cell.dataset.value);
    }
    return heads[column].className === "number" ? undefined : cell.textContent;
  };
  const sort = (column, direction) => {
    const keyed = rows.map((row) => [key(row, column), row]);
    keyed.sort(([a], [b]) => {
      // A row without a value is last, whatever the direction.
      if (a === undefined || b === undefined) { return (a === undefined) - (b === undefined); }
      return a === b ? 0 : (a > b ? direction : -direction);
    });
    body.append(...keyed.map(([, row]) => row));
    heads.forEach((head, at) => {
      if (at === column) { head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending"); }
      else { head.removeAttribute("aria-sort"); }
    });
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(column, head.getAttribute("aria-sort") === "ascending" ? -1 : 1));
    head.append(button);
  });

  const [text, tier, seed, count] = ["text", "tier", "seed", "count"].map((id) => document.getElementById("filter-" + id));
  const filter = () => {
    const wanted = text.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row) => {
      const name = row.querySelector("th").textContent.toLowerCase();
      const kept = name.includes(wanted)
        ? [[tier, row.dataset.tier], [seed, row.dataset.seed]].every(([own, value]) => ["", value].includes(own.value))
        : false;
      row.hidden = !kept;
      shown += kept ? 1 : 0;
    });
    count.textContent = shown + " of " + rows.length + (rows.length === 1 ? " row" : " rows");
  };
  [text, tier, seed].forEach((own) => own.addEventListener("input", filter));
  document.getElementById("filter").hidden = false;
  table.caption.hidden = false;
  filter();
})();
