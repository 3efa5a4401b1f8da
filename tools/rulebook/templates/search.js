"use strict";
const MOST = 200;
const entries = JSON.parse(document.getElementById("index").textContent).map(([kind, title, text, place]) => ({
  kind, title, text, place, low: `${title} ${text}`.toLowerCase(), name: title.toLowerCase(),
}));
const box = document.getElementById("find");
const said = document.getElementById("said");
const list = document.getElementById("found");

function rank(entry, words, whole) {
  if (entry.name === whole) return 0;
  if (entry.name.split(" ").includes(whole)) return 1;
  return words.every((word) => entry.name.includes(word)) ? 2 : 3;
}

function show() {
  const whole = box.value.trim().toLowerCase();
  const words = whole.split(/\s+/).filter(Boolean);
  const found = words.length ? entries.filter((each) => words.every((word) => each.low.includes(word))) : [];
  const ranked = found.map((each) => [rank(each, words, whole), each]).sort((one, other) => one[0] - other[0]);
  said.textContent = words.length
    ? `${found.length} found${found.length > MOST ? `, the first ${MOST} are shown` : ""}`
    : "Type a word, the number of a clause, or a part of a sentence.";
  list.replaceChildren(...ranked.slice(0, MOST).map(([, each]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = each.place;
    link.textContent = each.title;
    item.append(`${each.kind} `, link, ` ${each.text}`);
    return item;
  }));
}

box.value = new URLSearchParams(location.search).get("q") ?? "";
box.addEventListener("input", show);
box.form.addEventListener("submit", (event) => { event.preventDefault(); show(); });
show();
