// A replay: for every group of the picture, the events after which it looks different. What is shown after event k is
// the last of these up to k, so stepping and jumping cannot differ.
(async () => {
  const find = (id) => document.getElementById(id);
  const packed = Uint8Array.from(atob(find("data").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const record = JSON.parse(await new Response(stream).text());
  const phone = matchMedia("(max-width: 600px)"); // has pictures of its own, where the game has them
  let film, picture, shown;
  const unroll = () => {
    film = (phone.matches && record.narrow) || record;
    picture = new Picture(find("board"), film.frame);
    shown = new Map([...picture.groups.keys()].map((key) => [key, 0]));
    document.body.classList.toggle("narrow", film === record.narrow);
  };
  unroll();

  if (record.graph) {
    find("graph").append(parsed(record.graph.picture).firstElementChild);
    find("caption").textContent = record.graph.caption;
    find("how").hidden = false;
  }
  const cursor = document.createElementNS(SVG, "line");
  if (record.graph) {
    for (const [name, value] of Object.entries({ y1: 10, y2: record.graph.bottom, stroke: "var(--ink)", "stroke-width": 2 })) {
      cursor.setAttribute(name, value);
    }
    find("graph").firstElementChild.append(cursor);
  }

  const last = record.events.length;
  let place = -1;
  let timer = 0;

  const latest = (changes, event) => {
    let low = 0;
    let high = changes.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (changes[middle][0] <= event) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  // ------------------------------------------------------------------------------------------------- beside the board

  const lines = record.events.map((text, number) => {
    const line = element("li", `${number + 1}. ${text}`);
    line.dataset.event = number + 1;
    return line;
  });
  find("log").append(...lines);
  find("log").addEventListener("click", (event) => {
    const line = event.target.closest("li");
    if (line) go(Number(line.dataset.event));
  });

  // A mistake is looked at where it was about to be made.
  const mistakes = record.mistakes.map((mistake) => {
    const button = element("button");
    button.type = "button";
    button.append(badge(mistake.seat), whole(`event ${mistake.number}: ${mistake.text}`));
    button.addEventListener("click", () => go(mistake.number - 1));
    return button;
  });
  find("luck").hidden = !record.luck.length;
  find("luck").append(...record.luck.map((sentence) => element("p", whole(sentence))));
  find("worst").hidden = !mistakes.length;
  find("mistakes").append(...mistakes.map((button) => {
    const line = element("li");
    line.append(button);
    return line;
  }));

  // Where a group of the picture lies, in the units of the picture.
  const box = (key) => {
    const group = key && [...picture.root.querySelectorAll("[data-key]")].find((each) => each.dataset.key === key);
    if (!group) return null;
    const { x, y, width, height } = group.getBBox();
    const across = picture.root.getScreenCTM().inverse().multiply(group.getScreenCTM());
    const ends = [[x, y], [x + width, y], [x, y + height], [x + width, y + height]].map(([left, top]) => new DOMPoint(left, top).matrixTransform(across));
    const low = (name) => Math.min(...ends.map((end) => end[name]));
    const high = (name) => Math.max(...ends.map((end) => end[name]));
    return { x: low("x"), y: low("y"), width: high("x") - low("x"), height: high("y") - low("y") };
  };

  const drawn = (name, attributes, text) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    return made;
  };

  // What was played and what would have been best, outlined, with an arrow from the one to the other.
  const point = (mistake) => {
    picture.root.querySelector(".advice")?.remove();
    if (!mistake) return;
    const group = drawn("g", { class: "advice", "aria-hidden": "true" });
    const [played, best] = mistake.keys.map(box);
    const frame = (at, colour, word, dash) => {
      group.append(drawn("rect", { x: at.x, y: at.y, width: at.width, height: at.height, rx: 6, fill: "none", stroke: `var(--${colour})`, "stroke-width": 4, ...(dash ? { "stroke-dasharray": "7 5" } : {}) }));
      const wide = 8 * word.length + 10;
      group.append(drawn("rect", { x: at.x, y: at.y - 10, width: wide, height: 19, rx: 5, fill: `var(--${colour})` }));
      group.append(drawn("text", { x: at.x + wide / 2, y: at.y + 4, fill: "var(--halo)", "font-size": 13, "font-weight": "bold", "text-anchor": "middle" }, word));
    };
    if (played) frame(played, "changed", "played", true);
    if (best) frame(best, "accent", "best");
    if (played && best && mistake.keys[0] !== mistake.keys[1]) {
      const [from, to] = [played, best].map((at) => [at.x + at.width / 2, at.y + at.height / 2]);
      const turn = Math.atan2(to[1] - from[1], to[0] - from[0]);
      const wing = (side) => `${to[0] - 16 * Math.cos(turn + side)} ${to[1] - 16 * Math.sin(turn + side)}`;
      const path = `M ${from.join(" ")} L ${to.join(" ")} M ${wing(0.45)} L ${to.join(" ")} L ${wing(-0.45)}`;
      group.append(drawn("path", { d: path, fill: "none", stroke: "var(--halo)", "stroke-width": 8, "stroke-linecap": "round" }));
      group.append(drawn("path", { d: path, fill: "none", stroke: "var(--accent)", "stroke-width": 4, "stroke-linecap": "round" }));
    }
    picture.root.append(group);
  };

  // The last share that is known of every seat, before it the first one; null: none ever is.
  const standing = (event) => {
    const bar = find("bar");
    bar.hidden = !record.shares.length;
    if (bar.hidden) return;
    const shares = record.shares[0][1].map(() => null);
    for (const [at, each] of record.shares) each.forEach((share, seat) => { if (share !== null && (at <= event || shares[seat] === null)) shares[seat] = share; });
    chances(bar, record.names, shares);
  };

  const show = (event) => {
    event = Math.max(0, Math.min(last, event));
    if (event === place) return;
    place = event;
    for (const [key, changes] of Object.entries(film.changes)) {
      const wanted = latest(changes, event);
      if (shown.get(key) === wanted) continue;
      picture.put(key, changes[wanted][1]);
      shown.set(key, wanted);
    }
    const told = event === 0 ? "the beginning" : record.events[event - 1];
    const ahead = record.mistakes.findIndex((mistake) => mistake.number === event + 1);
    point(record.mistakes[ahead]);
    mistakes.forEach((button, number) => (number === ahead ? button.setAttribute("aria-current", "true") : button.removeAttribute("aria-current")));
    standing(event);
    lines.forEach((line, number) => line.classList.toggle("now", number === event - 1));
    const here = lines[event - 1];
    find("scroll").scrollTop = here ? here.offsetTop - find("scroll").offsetTop - find("scroll").clientHeight / 2 : 0;
    find("event").textContent = ahead < 0 ? told : `next, event ${event + 1}: ${record.names[record.mistakes[ahead].seat]} ${record.mistakes[ahead].text}`;
    find("place").value = event;
    find("place").setAttribute("aria-valuetext", `${event} of ${last}: ${told}`);
    find("count").textContent = `${event} / ${last}`;
    if (record.graph) {
      const x = record.graph.left + (record.graph.width * event) / Math.max(1, last);
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
    }
    document.body.dataset.event = event;
  };

  const marks = (by) => (by === "event" ? null : [0, ...record.steps[by], last]);
  const move = (direction) => {
    const among = marks(find("by").value);
    if (!among) return show(place + direction);
    const ahead = among.filter((mark) => (direction > 0 ? mark > place : mark < place));
    if (ahead.length) show(direction > 0 ? Math.min(...ahead) : Math.max(...ahead));
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    find("play").textContent = "play";
  };
  const start = () => {
    if (place === last) show(0);
    timer = setInterval(() => (place === last ? stop() : move(1)), Number(find("speed").value));
    find("play").textContent = "pause";
  };
  const go = (event) => {
    stop();
    show(event);
  };

  find("place").max = last;
  find("place").addEventListener("input", () => go(Number(find("place").value)));
  find("first").addEventListener("click", () => go(0));
  find("last").addEventListener("click", () => go(last));
  find("back").addEventListener("click", () => { stop(); move(-1); });
  find("next").addEventListener("click", () => { stop(); move(1); });
  find("play").addEventListener("click", () => (timer ? stop() : start()));
  find("speed").addEventListener("change", () => { if (timer) { stop(); start(); } });
  const keys = { ArrowLeft: () => move(-1), ArrowRight: () => move(1), Home: () => show(0), End: () => show(last) };
  document.addEventListener("keydown", (event) => {
    if (event.target.tagName === "SELECT" || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " " && event.target.tagName !== "BUTTON") {
      event.preventDefault();
      if (timer) stop();
      else start();
    } else if (keys[event.key]) {
      event.preventDefault();
      stop();
      keys[event.key]();
    }
  });
  find("graph").addEventListener("click", (event) => {
    const picture = find("graph").firstElementChild.getBoundingClientRect();
    const x = ((event.clientX - picture.left) / picture.width) * record.graph.whole;
    go(Math.round(((x - record.graph.left) / record.graph.width) * last));
  });
  const from_address = () => go(Number.parseInt(location.hash.slice(1), 10) || 0);
  window.addEventListener("hashchange", from_address);
  phone.addEventListener("change", () => {
    const event = place;
    unroll();
    place = -1;
    show(event);
  });
  from_address();
})();
