// Tables: sorting and filtering of the verdicts, and the tooltip of the heat maps.
// A number and its unit as one word, so that `4 MiB` finds neither `64 MiB` nor `4 ranks`.
function searchable(text) {
  return text.toLowerCase().replace(/(\d)\s+(?=[kmg]?i?b\b|ranks?\b)/g, "$1").split(/\s+/).filter(Boolean);
}

function matches(words, wanted) {
  return wanted.every((want) => words.some((word) => (/^\d/.test(want) ? word.startsWith(want) : word.includes(want))));
}

function setUpVerdicts() {
  const table = document.getElementById("verdict-table");
  if (!table) return () => {};
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const wordsOf = new Map(rows.map((row) => [row, searchable(row.textContent)]));
  const heads = [...table.tHead.rows[0].cells];
  const form = document.getElementById("filters");
  const shown = document.getElementById("shown");

  function filter() {
    const wanted = searchable(form.elements.text.value);
    let count = 0;
    for (const row of rows) {
      row.hidden =
        hidden.has(row.dataset.implementation) ||
        (form.elements.verdict.value !== "" && row.dataset.verdict !== form.elements.verdict.value) ||
        (form.elements.candidate.value !== "" && row.dataset.implementation !== form.elements.candidate.value) ||
        !matches(wordsOf.get(row), wanted);
      if (!row.hidden) count += 1;
    }
    shown.textContent = `${count} of ${rows.length} shown`;
  }

  function sort(column) {
    const ascending = heads[column].getAttribute("aria-sort") !== "ascending";
    for (const head of heads) head.setAttribute("aria-sort", "none");
    heads[column].setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const key = (row) => row.cells[column].dataset.value;
    const numeric = heads[column].classList.contains("n");
    const order = (a, b) => (numeric ? key(a) - key(b) : key(a).localeCompare(key(b)));
    body.append(...rows.sort((a, b) => (ascending ? order(a, b) : order(b, a))));
  }

  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => sort(column)));
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
  return filter;
}

function setUpTips() {
  const tip = document.getElementById("tip");
  document.addEventListener("pointerover", (event) => {
    const cell = event.target.closest("[data-tip]");
    tip.hidden = !cell;
    if (!cell) return;
    tip.textContent = cell.dataset.tip;
    const box = cell.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left), innerWidth - tip.offsetWidth - 8);
    const below = box.bottom + 6 + tip.offsetHeight < innerHeight;
    tip.style.left = `${left}px`;
    tip.style.top = `${below ? box.bottom + 6 : box.top - tip.offsetHeight - 6}px`;
  });
  document.addEventListener("scroll", () => (tip.hidden = true), { passive: true, capture: true });
}
