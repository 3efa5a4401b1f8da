"use strict";
const MOST = 200;
const lower = (texts) => texts.map((text) => text.toLowerCase());
const entries = JSON.parse(document.getElementById("index").textContent).map(
  ([kind, title, text, place = "", more = "", names = [], near = []]) => ({
    kind, title, text, place, low: `${kind} ${title} ${text}`.toLowerCase(), more: more.toLowerCase(),
    name: title.toLowerCase(), names: lower([title, ...names]), near: lower(near),
  }));
// A sentence or a rule is of the ruleset with which its title begins.
const group = (entry) => entry.name.split(/[ .]/)[0];
const groups = [...new Set(entries.filter((entry) => entry.kind === "sentence").map(group))];
const kinds = new Set(entries.map((entry) => entry.kind));
const box = document.getElementById("find");
const said = document.getElementById("said");
const list = document.getElementById("found");

// The kinds that are asked for are no words to look for, unless nothing else is: "clause 11c", "put-disabled edition".
function read(text) {
  const whole = text.trim().toLowerCase();
  const split = whole.split(/[\s/]+/).filter(Boolean);
  const rest = split.filter((word) => !kinds.has(word) && word !== "clause");
  const words = (rest.length ? rest : split).map((word) => word.length > 4 ? word.replace(/s$/, "") : word);
  return { whole, rest: rest.join(" "), words, kinds: rest.length ? split.filter((word) => kinds.has(word)) : [] };
}

function rank(entry, asked) {
  if (entry.names.includes(asked.whole)) return 0;
  const other = asked.kinds.length && !asked.kinds.includes(entry.kind) ? 10 : 0;
  if (entry.names.includes(asked.rest)) return other + 1;
  if (entry.near.includes(asked.whole)) return 2 + groups.indexOf(group(entry)) / 100;
  if (entry.near.includes(asked.rest)) return other + 2 + groups.indexOf(group(entry)) / 100;
  if (entry.name.split(" ").includes(asked.rest)) return other + 3;
  if (asked.words.every((word) => entry.name.includes(word))) return other + 4;
  if (!asked.words.every((word) => entry.low.includes(word))) return other + 7;
  return other + (asked.words.includes(entry.name) ? 5 : 6);
}

const has = (entry, word) => entry.low.includes(word) || entry.more.includes(word);
const is = (entry, asked) => [asked.whole, asked.rest].some((name) => entry.names.includes(name) || entry.near.includes(name));

// Where no entry has all words, those come first that have the rarest of them.
function nearest(words) {
  const weights = words.map((word) => Math.log(entries.length / (1 + entries.filter((each) => has(each, word)).length)));
  const weigh = (entry) => words.reduce((sum, word, at) => sum + (has(entry, word) ? Math.max(weights[at], 0) : 0), 0);
  return entries.map((each) => [-weigh(each), each]).filter(([weight]) => weight).sort((one, other) => one[0] - other[0]);
}

function show() {
  const asked = read(box.value);
  const found = asked.words.length
    ? entries.filter((each) => is(each, asked) || asked.words.every((word) => has(each, word))) : [];
  const near = asked.words.length && !found.length ? nearest(asked.words).slice(0, 30) : [];
  const ranked = found.map((each) => [rank(each, asked), each]).sort((one, other) => one[0] - other[0]);
  said.textContent = !asked.words.length ? "Type a word, the number of a clause, or a part of a sentence."
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
