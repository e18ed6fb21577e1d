// The page: what a reader can press, and what follows from it everywhere.
const filterVerdicts = setUpVerdicts();
setUpTips();

function setUpToggles() {
  for (const button of document.querySelectorAll("[data-toggle]")) {
    button.addEventListener("click", () => {
      const name = button.dataset.toggle;
      if (!hidden.delete(name)) hidden.add(name);
      button.setAttribute("aria-pressed", String(!hidden.has(name)));
      for (const element of document.querySelectorAll("[data-implementation]")) {
        element.hidden = hidden.has(element.dataset.implementation);
      }
      filterVerdicts();
      redraw();
    });
  }
}

function setUpTheme() {
  document.getElementById("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw());
}

function setUpBenchmarks() {
  const select = document.getElementById("benchmark");
  if (!select) return;
  const choose = () => {
    chosen.group = Number(select.value);
    redraw(["latency", "bandwidth", "overlap"]);
  };
  select.addEventListener("change", choose);
  for (const button of document.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => {
      const count = select.options.length;
      select.selectedIndex = (select.selectedIndex + Number(button.dataset.step) + count) % count;
      choose();
    });
  }
  choose();
}

function setUpDistributions() {
  const benchmark = document.getElementById("ecdf-benchmark");
  if (!benchmark) return;
  const size = document.getElementById("ecdf-size");
  const choose = () => {
    chosen.ecdfSize = size.value;
    redraw(["ecdf"]);
  };
  const list = () => {
    chosen.ecdfGroup = Number(benchmark.value);
    const before = size.value;
    const sizes = Object.keys(data.ecdf.groups[chosen.ecdfGroup].quantiles);
    size.replaceChildren(...sizes.map((bytes) => new Option(sizeLabel(Number(bytes)), bytes)));
    if (sizes.includes(before)) size.value = before;
    choose();
  };
  benchmark.addEventListener("change", list);
  size.addEventListener("change", choose);
  list();
}

function setUpChoices() {
  for (const select of document.querySelectorAll("[data-choice]")) {
    const section = select.dataset.choice;
    const kinds = [...document.querySelectorAll(`[data-figure^="${section}/"]`)].map((one) => one.dataset.figure);
    const choose = () => {
      chosen.sections[section] = Number(select.value);
      redraw(kinds);
    };
    select.addEventListener("change", choose);
    choose();
  }
}

function setUpCopying() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(button.dataset.copy);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(button.previousElementSibling);
        button.textContent = "Selected";
      }
      setTimeout(() => (button.textContent = "Copy"), 1600);
    });
  }
}

// On paper: light, as wide as an A4 page's text, figures that were never in view too.
function setUpPrinting() {
  const before = () => {
    printing.now = true;
    printing.width = 660;
    for (const details of document.querySelectorAll("details")) details.open = true;
    drawEverything();
  };
  const after = () => {
    printing.now = false;
    redraw();
  };
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
}

setUpToggles();
setUpTheme();
setUpBenchmarks();
setUpDistributions();
setUpChoices();
setUpCopying();
setUpPrinting();
for (const element of document.querySelectorAll("[data-figure]")) watcher.observe(element);
