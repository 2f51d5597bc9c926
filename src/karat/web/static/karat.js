// Keys, copying, filters that apply at once, and live progress. Every page works without this.
// It runs in the head, before the page has a control: so it listens on the document, and looks for elements when the page is there.
"use strict";

const find = (selector) => document.querySelector(selector);
const whenWhole = (action) => {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", action, { once: true });
  else action();
};
const follow = (selector) => { const link = find(selector); if (link) link.click(); };

function moveRow(step) {
  const rows = [...document.querySelectorAll("[data-row]")];
  if (!rows.length) return;
  const links = rows.map((row) => row.querySelector("a"));
  const here = links.indexOf(document.activeElement);
  const next = links[Math.min(Math.max(here + step, 0), links.length - 1)];
  if (next) { next.focus(); next.scrollIntoView({ block: "nearest" }); }
}

function step(direction) {
  if (find("[data-up]")) follow(direction > 0 ? "[data-next]" : "[data-previous]");
  else moveRow(direction);
}

const KEYS = {
  j: () => step(1), ArrowRight: () => step(1),
  k: () => step(-1), ArrowLeft: () => step(-1),
  u: () => follow("[data-up]"),
  "?": () => find("#keys").showModal(),
  c: () => follow("[data-compare]"),
  "/": () => { const box = find("[data-search]"); if (box) box.focus(); else location.assign("/#find"); },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || find("dialog[open]")) return;
  if (event.target.closest("input, textarea, select, pre, [role=region]:focus") && event.key !== "Escape") {
    if (event.target.closest("input, textarea, select") || event.key.startsWith("Arrow")) return;
  }
  const verdict = /^[0-4]$/.test(event.key) && find(`[data-verdict="${event.key}"]`);
  if (verdict) { event.preventDefault(); verdict.click(); return; }
  const action = KEYS[event.key];
  if (action) { event.preventDefault(); whenWhole(action); }
});

// An open menu closes when something else is clicked, or by Escape.
const closeMenus = (but) => document.querySelectorAll("details.menu[open]").forEach((menu) => { if (menu !== but) menu.open = false; });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") closeMenus(null); });

document.addEventListener("click", async (event) => {
  closeMenus(event.target.closest("details.menu"));
  if (event.target.closest("[data-keys]")) whenWhole(KEYS["?"]);
  if (event.target.closest("[data-find]")) whenWhole(KEYS["/"]);
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    await navigator.clipboard.writeText(document.getElementById(copy.dataset.copy).textContent);
    const before = copy.textContent;
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = before; }, 1200);
  }
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) whenWhole(() => event.target.form.requestSubmit());
});

// What is empty or as usual says nothing: keep it out of the address.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "get") return;
  const columns = [...form.querySelectorAll("[data-column]")];
  const usual = columns.every((box) => box.checked === (box.dataset.column === "usual"));
  const silent = [...form.elements].filter((field) => field.name && (field.value === "" || field.value === field.dataset.usual));
  for (const field of [...silent, ...(usual ? columns : [])]) field.disabled = true;
  setTimeout(() => { for (const field of form.elements) field.disabled = false; }, 0);
});

async function watch(panel) {
  const text = (selector, value) => { const spot = panel.querySelector(selector); if (spot) spot.textContent = value; };
  const wasScored = !panel.querySelector("progress");
  for (;;) {
    const answer = await fetch(panel.dataset.progress, { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const now = await answer.json();
    text("[data-answered]", now.answered);
    text("[data-errors]", now.errors);
    const bar = panel.querySelector("progress");
    if (bar) bar.value = now.answered;
    const list = panel.querySelector("[data-failures]");
    if (list) list.replaceChildren(...now.failures.map((one) => {
      const item = document.createElement("li");
      const name = document.createElement("b");
      name.textContent = one.case_id;
      item.append(name, ` ${one.kind}: ${one.message}`);
      return item;
    }));
    if (now.scored && !wasScored) return location.reload(); // once: a second reload would cancel the first on a slow server
    if (now.status !== "running") return;
    await new Promise((done) => setTimeout(done, 1500));
  }
}

// Differences to the baseline that were not computed yet: one after the other, so that the page is there at once.
async function fillDifferences() {
  for (const spot of document.querySelectorAll("[data-against]")) {
    const answer = await fetch(spot.dataset.against, { headers: { Accept: "application/json" } });
    if (!answer.ok) continue;
    const own = (await answer.json()).figures.find((one) => one.metric === spot.dataset.metric);
    spot.textContent = own ? own.text.split(", ")[0] : "–";
    spot.title = own ? own.text : "";
    const said = spot.closest("tr")?.querySelector("[data-outcome]");
    if (said) said.textContent = own ? ({ better: "▲ ", worse: "▼ " }[own.outcome] ?? "") + own.outcome : "no case in both";
  }
}

// A part of the page that is still being counted: asked for until it is there, then put in its place.
async function fillPart(spot) {
  for (;;) {
    await new Promise((done) => setTimeout(done, 1000));
    const answer = await fetch(spot.dataset.counting);
    if (answer.status === 202) continue;
    if (!answer.ok) return;
    const part = new DOMParser().parseFromString(await answer.text(), "text/html");
    spot.replaceWith(...part.body.childNodes);
    return;
  }
}

whenWhole(() => {
  document.querySelectorAll("[data-counting]").forEach((spot) => fillPart(spot).catch(() => {}));
  document.querySelectorAll("[data-progress]").forEach((panel) => watch(panel).catch(() => {}));
  fillDifferences().catch(() => {});
});

// A page that the browser kept shows what was chosen on it last, not what it lists: choosing the same again would do nothing.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) document.querySelectorAll("form[method=get]").forEach((form) => form.reset());
});

// Runs beside each other: the newest one is in sight where not all fit.
whenWhole(() => document.querySelectorAll("[data-newest]").forEach((box) => { box.scrollLeft = box.scrollWidth; }));

// Tune: the slider shows the choice at any budget, from the rows of the table of points. Without a script the number does.
function slideBudget(form) {
  const chart = find("[data-front]"), slider = find("[data-slider]"), box = form.elements.budget;
  const range = slider.querySelector("input");
  const low = Number(chart.dataset.low), high = Number(chart.dataset.high), known = Number(form.dataset.known);
  const points = [...document.querySelectorAll("[data-points] tbody tr")];
  const shown = [...document.querySelectorAll("[data-settings] tbody tr")];
  const count = (number) => Number(number).toLocaleString("en");
  const share = (cost) => Math.min(1, Math.log(Math.max(cost, low) / low) / Math.log(high / low));
  if (!points.length || !shown.every((row) => row.querySelector("[data-field]"))) return;
  const show = (budget) => {
    const at = 97 * share(budget), row = budget <= known && points.filter((one) => Number(one.dataset.cost) <= budget).pop();
    for (const end of ["x1", "x2"]) chart.querySelector("[data-line]").setAttribute(end, `${at}%`);
    chart.querySelector("[data-over]").setAttribute("x", `${at}%`);
    chart.querySelector("[data-over]").setAttribute("width", `${Math.max(0, 97 - at)}%`);
    const pick = chart.querySelector("[data-pick]");
    pick.setAttribute("r", row ? 6 : 0);
    find("[data-say]").textContent = row
      ? `${count(row.dataset.passed)} of ${count(form.dataset.of)} ${form.dataset.cases} pass with ${count(row.dataset.cost)} of ${count(budget)} ${form.dataset.unit}`
      : budget > known ? `The choice was computed for budgets up to ${count(known)} ${form.dataset.unit}` : `Nothing fits into ${count(budget)} ${form.dataset.unit}`;
    if (row) { pick.setAttribute("cx", `${row.dataset.x}%`); pick.setAttribute("cy", row.dataset.y); }
    shown.forEach((line, place) => {
      const own = row && row.querySelectorAll("[data-part]")[place];
      for (const field of line.querySelectorAll("[data-field]")) field.textContent = own ? own.dataset[field.dataset.field] ?? "" : "";
    });
  };
  slider.hidden = false;
  range.value = Math.round(1000 * share(Number(box.value)));
  range.addEventListener("input", () => {
    const budget = Math.round(low * (high / low) ** (range.value / 1000));
    box.value = budget;
    show(budget);
  });
  box.addEventListener("input", () => {
    if (!/^[0-9]+$/.test(box.value)) return;
    range.value = Math.round(1000 * share(Number(box.value)));
    show(Number(box.value));
  });
}
whenWhole(() => document.querySelectorAll("[data-budget]").forEach(slideBudget));

// Rows of a table that fold. Without a script they are shown.
whenWhole(() => {
  for (const body of document.querySelectorAll("[data-folded]")) body.hidden = true;
  for (const button of document.querySelectorAll("[data-fold]")) button.setAttribute("aria-expanded", "false");
  for (const wide of document.querySelectorAll("[data-scroll-end]")) wide.scrollLeft = wide.scrollWidth; // the newest run in sight
});
document.addEventListener("click", (event) => {
  const fold = event.target.closest("[data-fold]");
  if (!fold) return;
  const body = document.getElementById(fold.dataset.fold);
  body.hidden = !body.hidden;
  fold.setAttribute("aria-expanded", String(!body.hidden));
});
// A run while it goes on: its figures are asked for every 1.5 s; when there are new ones, the parts of the page that show them are replaced.
const pause = (time) => new Promise((done) => setTimeout(done, time));

async function replaceParts(page) {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (answer.status >= 400 && answer.status < 500) return location.reload();
  if (!answer.ok) throw new Error("the viewer has no page now");
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const followed = page.querySelector("[data-follow] input")?.checked ?? true;
  const names = (root) => [...root.querySelectorAll("[data-part]")].map((part) => part.dataset.part);
  const next = fresh.querySelector("[data-live]");
  if (!next || names(next).join() !== names(page).join()) {  // another form of the page
    if (!next) return location.reload();
    page.replaceChildren(...next.childNodes);
    showFollow(page);
    return;
  }
  for (const part of page.querySelectorAll("[data-part]")) {
    const own = next.querySelector(`[data-part="${part.dataset.part}"]`);
    const held = part.contains(document.activeElement) && document.activeElement !== document.body;
    if ((part.matches("[data-followed]") && !followed) || part.innerHTML === own.innerHTML || held) continue;
    part.replaceChildren(...own.childNodes);
  }
  document.title = fresh.title;
}

const showFollow = (page) => page.querySelectorAll("[data-follow]").forEach((label) => { label.hidden = false; });

async function watchLive(page) {
  showFollow(page);
  let shown = `${page.dataset.version} ${page.dataset.askedToStop}`;
  for (;;) {
    await pause(1500);
    try {
      const answer = await fetch(page.dataset.live, { headers: { Accept: "application/json" } });
      if (answer.status >= 400 && answer.status < 500) return;
      if (!answer.ok) continue;
      const now = await answer.json();
      if (now.scored) return location.reload();
      const fresh = `${now.version} ${now.stopping}`;
      if (fresh === shown) continue;
      await replaceParts(page);
      shown = fresh;
    } catch { /* the viewer or the network is away for a moment */ }
  }
}

KEYS.s = () => { const button = find("[data-stop]"); if (button) button.focus(); };
whenWhole(() => document.querySelectorAll("[data-live]").forEach((page) => watchLive(page).catch(() => {})));
// Runs: how many are chosen.
function countChosen() {
  const boxes = [...document.querySelectorAll("[data-choose]")];
  const chosen = boxes.filter((box) => box.checked);
  for (const box of boxes) box.closest("tr").classList.toggle("on", box.checked);
  const text = find("[data-chosen]");
  if (text) text.textContent = chosen.length ? `${chosen.length} chosen` : "chosen";
}
document.addEventListener("change", (event) => { if (event.target.matches("[data-choose]")) countChosen(); });
document.addEventListener("submit", (event) => {
  if (event.target.id !== "choose" || document.querySelectorAll("[data-choose]:checked").length > 1) return;
  event.preventDefault();
  find("[data-few]").hidden = false;
});
window.addEventListener("pageshow", countChosen);
whenWhole(() => { if (location.hash === "#find") find("#find")?.focus(); });
