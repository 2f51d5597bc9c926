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

whenWhole(() => {
  document.querySelectorAll("[data-progress]").forEach((panel) => watch(panel).catch(() => {}));
  fillDifferences().catch(() => {});
});

// A page that the browser kept shows what was chosen on it last, not what it lists: choosing the same again would do nothing.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) document.querySelectorAll("form[method=get]").forEach((form) => form.reset());
});

// Runs: how many are chosen.
function countChosen() {
  const boxes = [...document.querySelectorAll("[data-choose]")];
  const chosen = boxes.filter((box) => box.checked);
  for (const box of boxes) box.closest("tr").classList.toggle("on", box.checked);
  const text = find("[data-chosen]");
  if (text) text.textContent = chosen.length ? `${chosen.length} chosen` : "chosen";
}
document.addEventListener("change", (event) => { if (event.target.matches("[data-choose]")) countChosen(); });
window.addEventListener("pageshow", countChosen);
whenWhole(() => { if (location.hash === "#find") find("#find")?.focus(); });
