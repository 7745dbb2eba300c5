"use strict";
// Sorts and filters the leaderboards of the page. Without this script they are plain tables.
const sortable = (table) => {
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
    // The better end comes first.
    const first = head.dataset.first === "descending" ? -1 : 1;
    button.addEventListener("click", () => {
      const sorted = head.getAttribute("aria-sort");
      sort(column, sorted === null ? first : (sorted === "ascending" ? -1 : 1));
    });
    head.append(button);
  });

  const bar = table.parentElement.previousElementSibling;
  const [text, tier, count] = ["input", "select", "output"].map((tag) => bar.querySelector(tag));
  const filter = () => {
    const wanted = text.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row) => {
      const named = row.querySelector("th").textContent.toLowerCase().includes(wanted);
      row.hidden = !named || (tier !== null && !["", row.dataset.tier].includes(tier.value));
      shown += row.hidden ? 0 : 1;
    });
    count.textContent = shown + " of " + rows.length + (rows.length === 1 ? " row" : " rows");
  };
  [text, tier].forEach((own) => own?.addEventListener("input", filter));
  bar.hidden = false;
  table.caption.hidden = false;
  filter();
};
document.querySelectorAll("table.sortable").forEach(sortable);
