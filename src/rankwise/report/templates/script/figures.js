// Figures: drawn when they come into view, from the page's data, in the colours of the theme.
const data = JSON.parse(document.getElementById("data").textContent);
const hidden = new Set();
const config = { displayModeBar: false, responsive: true, showTips: false };
const printing = { now: false };

function isDark() {
  if (printing.now) return false;
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// A deep copy, with every light colour replaced by its dark one where asked.
function themed(value, dark) {
  if (Array.isArray(value)) return value.map((item) => themed(item, dark));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, themed(item, dark)]));
  }
  return dark && typeof value === "string" && Object.hasOwn(data.dark, value) ? data.dark[value] : value;
}

function sizeLabel(bytes) {
  const units = [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]];
  for (const [unit, factor] of units) if (bytes >= factor) return `${+(bytes / factor).toPrecision(4)} ${unit}`;
  return `${bytes} B`;
}

// The distribution of one cell: the common frame, filled with quantiles (nanoseconds) 0, 1, ..., 100 %.
function distribution(quantiles) {
  const figure = structuredClone(data.ecdf.frame);
  figure.data = figure.data.filter((trace) => Object.hasOwn(quantiles, trace.meta.implementation));
  for (const trace of figure.data) {
    const seconds = quantiles[trace.meta.implementation].map((nanoseconds) => nanoseconds * 1e-9);
    trace.x = trace.meta.part === "p99" ? [seconds[99]] : seconds;
  }
  const all = Object.values(quantiles).flat();
  // Over less than half a decade the ticks of a logarithmic axis would be too few.
  if (Math.max(...all) < 3.2 * Math.min(...all)) {
    figure.layout.xaxis = { ...figure.layout.xaxis, type: "linear", tickvals: null, ticktext: null, tickformat: "~s", ticksuffix: "s", nticks: 6 };
  }
  return figure;
}

const chosen = { group: 0, ecdfGroup: 0, ecdfSize: null, sections: {} };

// What a figure element shows now: {figure, which}; no figure where the benchmark has none of this kind.
function content(kind) {
  const [section, name] = kind.split("/");
  if (name) {
    const one = data.choices[section][chosen.sections[section] || 0];
    return { figure: one && one.figures[name], which: one ? one.label : "" };
  }
  if (kind !== "ecdf") {
    const group = data.groups[chosen.group];
    return { figure: group && group.figures[kind], which: group ? group.label : "" };
  }
  const group = data.ecdf.groups[chosen.ecdfGroup];
  const quantiles = group && group.quantiles[chosen.ecdfSize];
  const which = group ? `${group.label}, ${sizeLabel(Number(chosen.ecdfSize))}` : "";
  return { figure: quantiles && distribution(quantiles), which };
}

function describe(figure, caption, which) {
  const names = [...new Set(figure.data.map((trace) => trace.meta.implementation || trace.meta.baseline))];
  const shown = names.filter((name) => name && !hidden.has(name));
  return `${caption}${which && ` of ${which}`}. Lines for ${shown.join(", ") || "no implementation"}. The tables below hold the numbers.`;
}

async function draw(element) {
  const { figure, which } = content(element.dataset.figure);
  element.hidden = !figure;
  if (!figure) return;
  const plot = element.querySelector(".plot");
  const { data: traces, layout } = themed(figure, isDark());
  for (const trace of traces) trace.visible = !hidden.has(trace.meta.implementation);
  if (plot.clientWidth < 420) layout.font.size = 11;
  if (printing.now) Object.assign(layout, { autosize: false, width: printing.width, height: 330 });
  else layout.autosize = true;
  if (printing.now && element.classList.contains("high")) layout.height = 560;
  const caption = element.querySelector("figcaption").firstChild.data;
  element.querySelector(".which").textContent = which;
  plot.setAttribute("aria-label", describe(figure, caption, which));
  await Plotly.react(plot, traces, layout, config);
}

const drawn = new Set();
const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting || drawn.has(entry.target)) continue;
      drawn.add(entry.target);
      draw(entry.target);
    }
  },
  { rootMargin: "300px" },
);

function redraw(kinds) {
  const all = [...document.querySelectorAll("[data-figure]")];
  const wanted = all.filter((element) => !kinds || kinds.includes(element.dataset.figure));
  // First who is there at all, since that decides how wide each is; a hidden one never comes into view.
  for (const element of wanted) element.hidden = !content(element.dataset.figure).figure;
  for (const element of wanted) if (drawn.has(element)) draw(element);
}

function drawEverything() {
  for (const element of document.querySelectorAll("[data-figure]")) {
    drawn.add(element);
    draw(element);
  }
}
