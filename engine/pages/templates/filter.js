"use strict";
// What does not fit the words of a filter is hidden; without it all is shown.
for (const form of document.querySelectorAll("form.mq-filter")) {
  const all = [...document.querySelectorAll("[data-filter]")], shown = form.querySelector("output");
  const apply = () => {
    let count = 0;
    const asked = [...form.querySelectorAll("[data-about]")].map((each) => [each.dataset.about, each.value.trim().toLowerCase()]);
    for (const each of all) {
      const fits = asked.every(([about, text]) => !text || (each.dataset[about] || "").toLowerCase().split("\n").some((name) => name.includes(text)));
      each.hidden = !fits;
      if (fits) count++;
    }
    if (count <= 12) for (const each of all) if (!each.hidden) for (const inner of each.querySelectorAll(":scope > details")) inner.open = true;
    shown.value = `${count} of ${all.length} shown`;
  };
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
}
