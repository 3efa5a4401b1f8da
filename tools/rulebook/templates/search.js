"use strict";
const MOST = 200;
const entries = JSON.parse(document.getElementById("index").textContent).map(([kind, title, text, place, more]) => ({
  kind, title, text, place, low: `${kind} ${title} ${text}`.toLowerCase(), more: more.toLowerCase(),
  name: title.toLowerCase(),
}));
const box = document.getElementById("find");
const said = document.getElementById("said");
const list = document.getElementById("found");

function rank(entry, words, whole) {
  if (entry.name === whole) return 0;
  if (entry.name.split(" ").includes(whole)) return 1;
  if (words.every((word) => entry.name.includes(word))) return 2;
  return words.every((word) => entry.low.includes(word)) ? 3 : 4;
}

const has = (entry, word) => entry.low.includes(word) || entry.more.includes(word);

// Where no entry has all words, those come first that have the rarest of them.
function nearest(words) {
  const weights = words.map((word) => Math.log(entries.length / (1 + entries.filter((each) => has(each, word)).length)));
  const weigh = (entry) => words.reduce((sum, word, at) => sum + (has(entry, word) ? Math.max(weights[at], 0) : 0), 0);
  return entries.map((each) => [-weigh(each), each]).filter(([weight]) => weight).sort((one, other) => one[0] - other[0]);
}

function show() {
  const whole = box.value.trim().toLowerCase();
  const words = whole.split(/\s+/).filter(Boolean).map((word) => word.length > 4 ? word.replace(/s$/, "") : word);
  const found = words.length ? entries.filter((each) => words.every((word) => has(each, word))) : [];
  const near = words.length && !found.length ? nearest(words).slice(0, 30) : [];
  const ranked = found.map((each) => [rank(each, words, whole), each]).sort((one, other) => one[0] - other[0]);
  said.textContent = !words.length ? "Type a word, the number of a clause, or a part of a sentence."
    : near.length ? `None has all of these words; the nearest ${near.length}:`
    : `${found.length} found${found.length > MOST ? `, the first ${MOST} are shown` : ""}`;
  list.replaceChildren(...[...ranked, ...near].slice(0, MOST).map(([, each]) => {
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
