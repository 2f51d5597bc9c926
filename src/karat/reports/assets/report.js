"use strict";
// The table of cases, its details and the plots. Everything from a run becomes text content, never markup.
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { metrics, cases, reasons, verdict } = data;
  const ROWS = 50;
  const STATES = ["scored", "not_applicable", "error", "missing"];
  const at = (id) => document.getElementById(id);
  const own = (object, key) => (Object.hasOwn(object, key) ? object[key] : undefined);

  function make(name, text, kind) {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  }

  function words(text, name, kind) {
    const element = make(name || "span", text, kind);
    element.dir = "auto";
    return element;
  }

  // A sentence made from names and values: what is written from right to left is isolated, or the numbers after it would
  // change places.
  const TURNED = /([\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+(?:\s+[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+)*)/;

  function sentence(text, name, kind) {
    const element = words(undefined, name, kind);
    element.append(...text.split(TURNED).map((part, place) => (place % 2 ? make("bdi", part) : part)));
    return element;
  }

  // -- state, which lives in the address -------------------------------------------------------------------------------

  const usual = metrics.filter((metric) => metric.headline).map((metric) => metric.name);
  const first = usual.length ? usual : metrics.slice(0, 3).map((metric) => metric.name);
  let state = read();

  function read() {
    const given = new URLSearchParams(location.hash.slice(1));
    const shown = given.has("cols") ? given.get("cols").split(",") : first;
    return {
      q: given.get("q") || "",
      status: given.get("status") || "",
      tag: given.get("tag") || "",
      sort: given.get("sort") || "",
      page: Math.max(1, Number.parseInt(given.get("page"), 10) || 1),
      cols: metrics.map((metric) => metric.name).filter((name) => shown.includes(name)),
      open: given.get("case") || "",
    };
  }

  function address() {
    const out = new URLSearchParams();
    for (const key of ["q", "status", "tag", "sort"]) if (state[key]) out.set(key, state[key]);
    if (state.page > 1) out.set("page", state.page);
    if (state.cols.join() !== first.join()) out.set("cols", state.cols.join());
    if (state.open) out.set("case", state.open);
    return "#" + out.toString();
  }

  function change(changes, quietly) {
    if (!("page" in changes) && !("open" in changes)) changes.page = 1;
    Object.assign(state, changes);
    history[quietly ? "replaceState" : "pushState"](null, "", address());
    draw();
  }

  // -- which cases are shown -------------------------------------------------------------------------------------------

  function reasonsOf(item) {
    return Object.entries(item.why || {}).map(([index, reason]) => [Number(index), reasons[reason] || ""]);
  }

  const headlineOf = (item) => (item.said === undefined ? "" : reasons[item.said] || "");
  const reasonOf = (item) =>
    headlineOf(item) || reasonsOf(item).filter(([index]) => index === verdict).map((pair) => pair[1])[0] || "";

  const haystacks = cases.map((item) =>
    [item.id, item.name, item.question, item.error, headlineOf(item), ...(item.tags || []), ...reasonsOf(item).map((pair) => pair[1]),
      ...(item.facts || []).map((fact) => fact[1]), ...Object.values(item.review || {})].join("\n").toLowerCase());

  function key(item, column) {
    const index = metrics.findIndex((metric) => "m:" + metric.name === column);
    if (index >= 0) return item.values[index];
    return plainText(item, column);
  }

  function plainText(item, column) {
    if (column === "tags") return (item.tags || []).join(", ");
    if (column === "review") return item.review ? item.review.verdict : "";
    return item[column] || "";
  }

  function matching() {
    const terms = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    cases.forEach((item, index) => {
      if (state.status && item.status !== state.status) return;
      if (state.tag && !(item.tags || []).includes(state.tag)) return;
      if (terms.every((term) => haystacks[index].includes(term))) found.push(item);
    });
    if (state.sort) {
      const down = state.sort.startsWith("-");
      const column = down ? state.sort.slice(1) : state.sort;
      const keyed = found.map((item) => [key(item, column), item]);
      keyed.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null); // undefined comes last either way
        const order = typeof a === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
        return down ? -order : order;
      });
      return keyed.map((pair) => pair[1]);
    }
    return found;
  }

  // -- the table -------------------------------------------------------------------------------------------------------

  function figure(value, kind) {
    if (value === null || value === undefined) return "n/a";
    if (kind === "rate" && (value === 0 || value === 1)) return value ? "yes" : "no";
    if (kind !== "quantity") return value.toFixed(2);
    const size = Math.abs(value);
    if (size >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString("en");
    return value.toFixed(size >= 1 ? 2 : 4);
  }

  function columns() {
    const shown = metrics.map((metric, index) => ({ metric, index })).filter(({ metric }) => state.cols.includes(metric.name));
    return [
      { key: "id", title: "case" },
      ...(cases.some((item) => item.tags) ? [{ key: "tags", title: "tags" }] : []),
      ...(new Set(cases.map((item) => item.status)).size > 1 ? [{ key: "status", title: "status" }] : []),
      ...(cases.some((item) => item.review) ? [{ key: "review", title: "review" }] : []),
      ...shown.map(({ metric, index }) => ({ key: "m:" + metric.name, title: metric.title, metric, index })),
    ];
  }

  function heading(column) {
    const cell = make("th", undefined, column.metric ? "number" : "");
    cell.scope = "col";
    const button = words(column.title, "button");
    button.type = "button";
    button.dataset.sort = column.key;
    if (column.metric) button.title = column.metric.formula;
    const down = state.sort === "-" + column.key;
    if (state.sort === column.key || down) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
    button.addEventListener("click", () => change({ sort: state.sort === column.key ? "-" + column.key : down ? "" : column.key }));
    cell.append(button);
    return cell;
  }

  function cellOf(item, column) {
    if (column.metric) {
      const value = item.values[column.index];
      const cell = make("td", figure(value, column.metric.kind), "number");
      cell.dataset.l = column.title;
      if (column.metric.kind === "share" && value !== null && value >= 0 && value <= 1) cell.append(meter(value));
      return cell;
    }
    if (column.key === "id") {
      const cell = make("th", undefined, "id");
      cell.scope = "row";
      if (item.question) cell.append(words(item.question, "div", "clamp"));
      const below = make("div", undefined, "below");
      const value = verdict < 0 ? undefined : item.values[verdict];
      if (value === 1) below.append(make("span", "right", "right ok"), " ");
      else if (value === 0 && item.status !== "error" && item.status !== "missing") below.append(make("span", item.error || reasonOf(item) ? undefined : "wrong", "wrong no"), " ");
      const why = value === 1 ? "" : item.error || reasonOf(item);
      if (why) below.append(sentence(why, "span", "clamp1"), " ");
      const button = words(item.id || "(no id)", "button", "link");
      button.type = "button";
      below.append(button);
      if (item.name && !(item.question || "").startsWith(item.name)) below.append(" ", words(item.name, "span", "quiet"));
      cell.append(below);
      return cell;
    }
    if (column.key === "status") return make("td", item.status === "scored" ? "" : item.status.replace("_", " "), "state-" + item.status);
    const cell = make("td", undefined, column.key === "tags" || column.key === "review" ? column.key : "text-cell");
    cell.append(words(plainText(item, column.key), "div", "clamp"));
    return cell;
  }

  function meter(value) {
    const bar = make("span", undefined, "meter");
    const fill = make("i");
    fill.style.width = 100 * value + "%";
    bar.append(fill);
    return bar;
  }

  let listed = [];

  function draw() {
    listed = matching();
    const pages = Math.max(1, Math.ceil(listed.length / ROWS));
    state.page = Math.min(state.page, pages);
    const begin = (state.page - 1) * ROWS;
    const shown = columns();
    const focused = document.activeElement && document.activeElement.dataset.sort;
    const head = make("tr");
    head.append(...shown.map(heading));
    at("case-table").tHead.replaceChildren(head);
    at("case-table").tBodies[0].replaceChildren(...listed.slice(begin, begin + ROWS).map((item) => {
      const row = make("tr");
      row.append(...shown.map((column) => cellOf(item, column)));
      row.addEventListener("click", () => { if (!String(getSelection())) change({ open: item.id }); });
      return row;
    }));
    if (focused) for (const button of head.querySelectorAll("button")) if (button.dataset.sort === focused) button.focus();
    const all = `${count(cases.length)} ${cases.length === 1 ? "case" : "cases"}`;
    const said = listed.length === cases.length ? all : `${count(listed.length)} of ${all}`;
    at("count").textContent = listed.length || !cases.length ? said : said + ": no matches";
    at("pages").hidden = pages === 1;
    at("page").textContent = `${count(begin + 1)} – ${count(Math.min(begin + ROWS, listed.length))} of ${count(listed.length)}`;
    at("previous-page").disabled = state.page === 1;
    at("next-page").disabled = state.page === pages;
    for (const chip of at("chips").children) chip.setAttribute("aria-pressed", String(chip.dataset.status === state.status));
    for (const box of at("columns").querySelectorAll("input")) box.checked = state.cols.includes(box.value);
    if (at("search").value !== state.q) at("search").value = state.q;
    at("tag").value = state.tag;
    showCase();
  }

  const count = (number) => number.toLocaleString("en");

  // -- the details of a case -------------------------------------------------------------------------------------------

  function showCase() {
    const dialog = at("case");
    const item = state.open ? cases.find((one) => one.id === state.open) : undefined;
    if (!item) {
      if (dialog.open) dialog.close();
      return;
    }
    at("case-title").textContent = item.id || "(no id)";
    at("case-body").replaceChildren(...details(item));
    const place = listed.indexOf(item);
    at("previous-case").disabled = place <= 0;
    at("next-case").disabled = place < 0 || place === listed.length - 1;
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    dialog.querySelectorAll(".drawing").forEach(drawPlot);
  }

  function details(item) {
    const out = [];
    const add = (title, ...parts) => out.push(words(title, "h3"), ...parts);
    const line = make("p");
    line.append(make("span", item.status.replace("_", " "), "state-" + item.status));
    if (item.name) line.append(" · ", words(item.name, "bdi"));
    if (item.tags) line.append(" · ", words(item.tags.join(", "), "bdi"));
    out.push(line);
    if (item.question) add("Question", words(item.question, "p"));
    if (item.error) add("Error", words(item.error, "p"));
    const form = document.getElementById("form-" + cases.indexOf(item));
    if (form) add("Expected and given", form.content.cloneNode(true));
    if (item.review) add("Review", ...reviewed(item.review));
    for (const [title, text] of item.facts || []) {
      add(title, text.includes("\n") ? block(text) : words(text, "p"));
    }
    add("Scores", scores(item));
    for (const table of data.tables) {
      const rows = own(table.rows, item.id);
      if (rows) add(table.title, plainTable(table.columns, rows));
    }
    if (item.details !== undefined) add("Details", block(JSON.stringify(item.details, null, 2)));
    if (item.cut) out.push(make("p", "Some details do not fit into this file; the run's JSON and karat serve have all of them.", "quiet"));
    return out;
  }

  function reviewed(review) {
    const line = make("p");
    line.append(make("strong", review.verdict));
    for (const text of [review.who, review.when && review.when + " UTC"]) if (text) line.append(" · ", words(text, "bdi"));
    return review.why ? [line, words(review.why, "p")] : [line];
  }

  function block(text) {
    const element = words(text, "pre");
    element.tabIndex = 0;
    return element;
  }

  function scores(item) {
    const why = Object.fromEntries(reasonsOf(item));
    const rows = metrics.map((metric, index) => [metric.title, figure(item.values[index], metric.kind), why[index] || ""]);
    return plainTable([{ title: "metric", kind: "text" }, { title: "value", kind: "number" }, { title: "why", kind: "wrapped" }], rows);
  }

  function plainTable(heads, rows) {
    const table = make("table");
    const head = table.createTHead().insertRow();
    for (const column of heads) {
      const cell = words(column.title, "th", column.kind);
      cell.scope = "col";
      head.append(cell);
    }
    const body = table.createTBody();
    for (const row of rows) body.insertRow().append(...row.map((text, index) => words(text, "td", heads[index].kind)));
    return table;
  }

  // The rows were drawn anew since the case was opened, so the browser cannot give the focus back by itself.
  function refocus(id) {
    const place = listed.findIndex((item) => item.id === id) - (state.page - 1) * ROWS;
    const row = place >= 0 ? at("case-table").tBodies[0].rows[place] : undefined;
    if (row) row.querySelector("button").focus();
  }

  function step(by) {
    const place = listed.findIndex((item) => item.id === state.open);
    const next = listed[place + by];
    if (place >= 0 && next) change({ open: next.id, page: Math.floor((place + by) / ROWS) + 1 }, true);
  }

  // -- controls --------------------------------------------------------------------------------------------------------

  function chip(status, title) {
    const button = make("button", title);
    button.type = "button";
    button.dataset.status = status;
    button.addEventListener("click", () => change({ status: state.status === status ? "" : status }));
    return button;
  }

  function controls() {
    const counts = new Map();
    const tags = new Map();
    for (const item of cases) {
      counts.set(item.status, (counts.get(item.status) || 0) + 1);
      for (const tag of item.tags || []) tags.set(tag, (tags.get(tag) || 0) + 1);
    }
    at("chips").append(chip("", `all ${count(cases.length)}`));
    for (const status of STATES) {
      if (counts.has(status)) at("chips").append(chip(status, `${status.replace("_", " ")} ${count(counts.get(status))}`));
    }
    for (const [tag, number] of [...tags].sort((a, b) => a[0].localeCompare(b[0]))) {
      const option = make("option", `${tag} (${count(number)})`);
      option.value = tag;
      at("tag").append(option);
    }
    at("tag-label").hidden = !tags.size;
    at("tag").addEventListener("change", (event) => change({ tag: event.target.value }));
    at("search").addEventListener("input", (event) => change({ q: event.target.value }, true));
    const fields = at("columns").querySelector("fieldset");
    for (const metric of metrics) {
      const label = make("label");
      const box = make("input");
      box.type = "checkbox";
      box.value = metric.name;
      box.addEventListener("change", () => change({
        cols: metrics.map((one) => one.name).filter((name) => (name === metric.name ? box.checked : state.cols.includes(name))),
        page: state.page,
      }));
      label.append(box, " ", words(metric.title));
      fields.append(label);
    }
    at("columns").hidden = !metrics.length;
    at("previous-page").addEventListener("click", () => change({ page: state.page - 1 }));
    at("next-page").addEventListener("click", () => change({ page: state.page + 1 }));
    at("previous-case").addEventListener("click", () => step(-1));
    at("next-case").addEventListener("click", () => step(1));
    at("close-case").addEventListener("click", () => at("case").close());
    at("case").addEventListener("close", () => {
      const left = state.open;
      if (left) change({ open: "" });
      refocus(left);
    });
    at("case").addEventListener("click", (event) => { if (event.target === at("case")) at("case").close(); });
    at("controls").hidden = !cases.length;
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (at("case").open) {
      if (event.key === "j") step(1);
      if (event.key === "k") step(-1);
    } else if (event.key === "/") {
      event.preventDefault();
      at("search").focus();
    } else if (event.key === "Escape") at("columns").open = false;
  });

  document.addEventListener("click", (event) => {
    if (event.target.isConnected && !at("columns").contains(event.target)) at("columns").open = false;
  });

  function arrive() {
    if (location.hash && !location.hash.includes("=")) return; // a plain link to a part of the page
    state = read();
    draw();
  }
  window.addEventListener("popstate", arrive);

  // -- light and dark --------------------------------------------------------------------------------------------------

  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const nameTheme = () => { at("theme").textContent = isDark() ? "Light" : "Dark"; };
  at("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  system.addEventListener("change", nameTheme);

  // -- plots -----------------------------------------------------------------------------------------------------------

  function drawPlot(element) {
    const width = Math.floor(element.clientWidth);
    if (!width || Number(element.dataset.width) === width) return;
    element.dataset.width = width;
    const own = element.dataset.spec;
    const given = own ? JSON.parse(own) : data.plots[Number(element.dataset.plot)];
    const spec = given.hconcat ? given : { ...given, width, autosize: { type: "fit-x", contains: "padding" } };
    const compiled = vegaLite.compile(spec, { config: data.config });
    const parsed = vega.parse(compiled.spec, null, { ast: true });
    element.replaceChildren();
    const view = new vega.View(parsed, { renderer: "svg", container: element, hover: true, expr: vega.expressionInterpreter });
    view.runAsync().catch((error) => notDrawn(element, error));
  }

  function notDrawn(element, error) {
    element.textContent = "This chart cannot be drawn: " + error.message;
  }

  // A chart that cannot be drawn says so, and the others are drawn.
  function drawOrSay(element) {
    try {
      drawPlot(element);
    } catch (error) {
      notDrawn(element, error);
    }
  }

  const drawAll = () => document.querySelectorAll(".drawing").forEach(drawOrSay);
  for (const sheet of document.querySelectorAll("details.sheet")) sheet.addEventListener("toggle", drawAll);
  let waiting = 0;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 150);
  });
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details.sheet:not([open])")];
    for (const sheet of folded) sheet.open = true;
    drawAll();
  });
  window.addEventListener("afterprint", () => { for (const sheet of folded) sheet.open = false; });

  // -- the gallery of plots --------------------------------------------------------------------------------------------

  function gallery() {
    if (!at("gallery")) return;
    const shots = [...document.querySelectorAll(".shot")];
    for (const shot of shots) {
      const form = at("form-" + shot.dataset.form);
      for (const picture of form.content.querySelectorAll("figure.picture")) shot.querySelector(".duo").append(picture.cloneNode(true));
      shot.querySelector("button").addEventListener("click", () => change({ open: cases[Number(shot.dataset.form)].id }));
    }
    at("reason").addEventListener("change", () => {
      for (const shot of shots) shot.hidden = Boolean(at("reason").value) && shot.dataset.group !== at("reason").value;
      drawAll();
    });
    at("gallery-controls").hidden = false;
  }

  nameTheme();
  at("theme").hidden = false; // like the other controls, it is not there before something listens
  controls();
  draw();
  gallery();
  drawAll();
})();
