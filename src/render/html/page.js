"use strict";
(() => {
  const form = document.getElementById("filter");
  const rows = [...document.querySelectorAll("#rows tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const controls = [...form.querySelectorAll("[data-by]")];
  const text = document.getElementById("text");
  const count = document.getElementById("count");
  const zoom = document.getElementById("zoom");
  const wanted = (control) => (control.type === "checkbox" && !control.checked ? "" : control.value);
  const fits = (row, control) => {
    const value = wanted(control);
    const own = row.dataset[control.dataset.by] || "";
    return value === "" || own === "*" || own.split(" ").includes(value);
  };
  const draw = (id, cell) => {
    const path = document.getElementById(id);
    if (!path) return;
    const ports = new Set();
    for (const row of rows) {
      const port = /^\d+(?=$|\/)/.exec(row.cells[cell].textContent.trim());
      if (port && !row.hidden) ports.add(port[0]);
    }
    path.setAttribute("d", [...ports].map((port) => `M${port}.5 0v24`).join(""));
  };
  const update = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, index) => {
      row.hidden = !(words.every((word) => texts[index].includes(word)) && controls.every((control) => fits(row, control)));
      shown += row.hidden ? 0 : 1;
    });
    count.textContent = `${shown} of ${rows.length} rows`;
    draw("before", 0);
    draw("after", 1);
  };
  const show = () => {
    const [from, to] = zoom.value.split("-").map(Number);
    for (const strip of document.querySelectorAll(".strip")) strip.setAttribute("viewBox", `${from} 0 ${to + 1 - from} 24`);
    document.getElementById("from").textContent = from;
    document.getElementById("to").textContent = to;
  };
  const restore = () => {
    const wishes = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    if (wishes.has("text")) text.value = wishes.get("text");
    if (zoom && wishes.has("zoom")) zoom.value = wishes.get("zoom");
    for (const control of controls) {
      const value = wishes.get(control.dataset.by);
      if (value === null) continue;
      if (control.type === "checkbox") control.checked = value === control.value;
      else control.value = value;
    }
    if (zoom) show();
    update();
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", update);
  if (zoom) zoom.addEventListener("input", show);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT)$/.test(event.target.tagName)) {
      event.preventDefault();
      text.focus();
    }
  });
  addEventListener("hashchange", restore);
  restore();
})();
