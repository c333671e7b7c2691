// A replay: for every group of the picture, the events after which it looks different. What is shown after event k is
// the last of these up to k, so stepping and jumping cannot differ.
(async () => {
  const find = (id) => document.getElementById(id);
  const packed = Uint8Array.from(atob(find("data").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const record = JSON.parse(await new Response(stream).text());
  const picture = new Picture(find("board"), record.frame);
  const shown = new Map([...picture.groups.keys()].map((key) => [key, 0]));

  if (record.graph) {
    find("graph").append(parsed(record.graph.picture).firstElementChild);
    find("caption").textContent = record.graph.caption;
  }
  const cursor = document.createElementNS(SVG, "line");
  if (record.graph) {
    for (const [name, value] of Object.entries({ y1: 8, y2: record.graph.bottom, stroke: "var(--ink)", "stroke-width": 2 })) {
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

  const show = (event) => {
    event = Math.max(0, Math.min(last, event));
    if (event === place) return;
    place = event;
    for (const [key, changes] of Object.entries(record.changes)) {
      const wanted = latest(changes, event);
      if (shown.get(key) === wanted) continue;
      picture.put(key, changes[wanted][1]);
      shown.set(key, wanted);
    }
    const told = event === 0 ? "the beginning" : record.events[event - 1][0];
    find("event").textContent = told;
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
  from_address();
})();
