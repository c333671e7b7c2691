"use strict";
// A picture in a page: groups of the first level have keys, and what changes is exchanged by key, never the whole.
const SVG = "http://www.w3.org/2000/svg";

const parsed = (markup) => {
  const read = new DOMParser().parseFromString(`<svg xmlns="${SVG}">${markup}</svg>`, "image/svg+xml");
  return document.importNode(read.documentElement, true);
};

// No line is broken before a sign of per cent.
const whole = (text) => text.replace(/(\d) (?=[%\u00b1])|(\u00b1) (?=\d)/g, "$1$2\u00a0");

const element = (name, text, kind) => {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  if (kind) made.className = kind;
  return made;
};

// The number of a seat in its colours; null: chance.
const badge = (seat) => {
  const made = element("span", seat === null ? "\u2022" : String(seat), "who");
  made.style.background = seat === null ? "transparent" : `var(--seat${seat})`;
  made.style.color = seat === null ? "var(--ink)" : `var(--on-seat${seat})`;
  return made;
};

// A bar of the chances to win; a single share is that of a team, and where one is null the others leave room for it.
const chances = (bar, names, shares) => {
  const together = shares.length === 1;
  const all = together || shares.includes(null) ? 1 : shares.reduce((sum, share) => sum + share, 0) || 1;
  const known = shares.map((share, seat) => [share, seat]).filter(([share]) => share !== null);
  bar.replaceChildren(...known.map(([share, seat]) => {
    const part = element("span", share / all > 0.1 ? `${Math.round((100 * share) / all)} %` : "");
    part.style.width = `${(100 * share) / all}%`;
    part.style.background = `var(--seat${seat})`;
    part.style.color = `var(--on-seat${seat})`;
    return part;
  }));
  const told = known.map(([share, seat]) => `${together ? "the team" : names[seat]} ${Math.round((100 * share) / all)} %`);
  bar.setAttribute("aria-label", `chances to win: ${told.join(", ")}`);
  bar.title = bar.getAttribute("aria-label");
};

class Picture {
  constructor(place, frame) {
    place.replaceChildren(parsed(frame).firstElementChild);
    this.root = place.firstElementChild;
    const groups = [...this.root.children].filter((each) => each.dataset.key);
    this.groups = new Map(groups.map((each) => [each.dataset.key, each]));
    this.marks = new Map();
  }

  // Exchange a group, unless it has this markup already; the fresh element, or null.
  put(key, marks) {
    if (this.marks.get(key) === marks) return null;
    const fresh = parsed(marks).firstElementChild;
    this.groups.get(key).replaceWith(fresh);
    this.groups.set(key, fresh);
    this.marks.set(key, marks);
    return fresh;
  }
}
