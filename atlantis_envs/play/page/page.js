// The page of a table: it shows documents of the server and sends moves. What is legal, what it means and who may see
// what is the server's to say.
(() => {
  const find = (id) => document.getElementById(id);
  const board = find("board");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const phone = matchMedia("(max-width: 600px)"); // a picture and a sheet of their own
  const touch = matchMedia("(pointer: coarse)"); // the first tap looks, the second plays
  const LONGEST = 8000; // ms that the moves of others may take to be shown
  const REST = 150; // ms before a preview is asked for
  const PATIENCE = 600; // ms that a further digit of a number may take
  let now = null; // the last document
  let picture = null;
  let present = new Map(); // key -> markup at the present moment
  let past = null; // the event looked at, null: the present
  let hurry = false;
  let showing = false; // others' moves are being shown
  let asking = null; // of a hint
  let previews = new Map();
  let looked = null; // the action that another tap plays
  let wanted = null; // the action whose preview is shown
  let timer = 0;
  let round; // of the last line in the log
  let wish = null; // the event to look at
  let seeking = false;
  let paused = false; // by somebody who watches
  let digits = ""; // typed so far, of the number of a move
  let typing = 0;

  // ------------------------------------------------------------------------------------------------ talking

  const ask = async (path, body) => {
    const told = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    let answer;
    try {
      answer = await fetch(path, told);
    } catch {
      find("wait").textContent = "The server does not answer: is atlantis still running?";
      return null;
    }
    const said = await answer.json().catch(() => ({ error: "This page is no longer let in: open the address that atlantis printed." }));
    if (answer.ok) return said;
    if (answer.status === 409 && body !== undefined) receive(await ask(here()));
    else say([said.error || `The server refused (${answer.status}).`]);
    return null;
  };

  const send = async (path, body) => {
    if (showing) {
      hurry = true;
      return;
    }
    if (past !== null) leavePast();
    stopHint();
    closeOffer();
    document.body.dataset.busy = "true";
    if (path === "/api/move") find("trail").textContent = "";
    const state = await ask(path, { ply: now.ply, ...body });
    if (state) await receive(state);
    else document.body.dataset.busy = "false";
  };

  const play = (text) => send("/api/move", { action: text });

  // What is asked for to show everything anew.
  const here = () => `/api/state?narrow=${Number(phone.matches)}`;

  // ------------------------------------------------------------------------------------------------- showing

  const wait = (time) =>
    new Promise((done) => {
      const end = performance.now() + time;
      const look = () => (hurry || performance.now() >= end ? done() : setTimeout(look, 20));
      look();
    });

  const receive = async (state) => {
    if (!state) return;
    if (!state.covered && state.narrow !== phone.matches) return receive(await ask(here())); // as another window had it
    const kept = focused();
    if (kept) find("question").focus({ preventScroll: true });
    now = state;
    previews = new Map();
    forget();
    document.body.dataset.busy = "true";
    document.body.dataset.asked = "false";
    if (state.covered) {
      cover(state);
    } else {
      uncover();
      if (state.frame !== null) start(state);
      else await walk(state.steps.filter((step) => step.fresh));
      paint(state.groups);
      equipAll();
      picture.root.querySelector("desc").textContent = state.about;
      panel(state, kept);
      if (state.frame !== null) await recall();
    }
    weigh(state);
    document.body.dataset.ply = state.ply;
    document.body.dataset.over = state.over;
    document.body.dataset.events = state.events;
    document.body.dataset.viewer = state.viewer ?? "all";
    if (state.busy && !(state.watched && paused)) {
      const next = await ask("/api/go", { ply: state.ply, once: false });
      if (next) await receive(next);
    } else {
      document.body.dataset.busy = "false";
    }
  };

  const start = (state) => {
    picture = new Picture(board, state.frame);
    present = new Map();
    document.body.classList.toggle("narrow", picture.root.viewBox.baseVal.width < 600);
  };

  // All that has happened, as the one who looks may know it.
  const recall = async () => {
    const told = await ask("/api/history");
    if (!told) return;
    find("log").replaceChildren();
    round = undefined;
    for (const step of told) tell(step);
  };

  // Moves of others, one after the other.
  const walk = async (steps) => {
    const drawn = steps.filter((step) => step.groups && !step.own).length;
    const pace = calm.matches ? 0 : Math.min(Number(find("pace").value), LONGEST / Math.max(1, drawn));
    showing = true;
    hurry = false;
    if (drawn && pace) {
      document.body.dataset.showing = "true";
      find("question").replaceChildren("The others are playing");
      find("about").replaceChildren();
    }
    for (const step of steps) {
      if (step.groups) paint(step.groups);
      tell(step);
      if (step.groups && !step.own && pace) await wait(pace);
    }
    showing = false;
    delete document.body.dataset.showing;
  };

  const paint = (groups) => {
    for (const [key, marks] of Object.entries(groups)) {
      present.set(key, marks);
      put(key, marks);
    }
  };

  const put = (key, marks) => picture.put(key, marks);

  const equipAll = () => {
    for (const area of picture.root.querySelectorAll("[data-moves]")) equip(area);
  };

  const movesAt = (area) => area.dataset.moves.split(" ").map((id) => [...now.moves, ...now.ways].find((move) => move.id === Number(id))).filter(Boolean);

  // Where two moves are one click, the second one is the place itself.
  const brief = (move) => move.text.split(", ")[0];

  // What makes an area a button: a name, a place in the order of Tab, the number of its first move.
  const equip = (area) => {
    const moves = movesAt(area);
    if (!moves.length) return;
    area.querySelector(":scope > .tag")?.remove();
    const title = area.querySelector(":scope > title");
    area.setAttribute("role", "button");
    area.setAttribute("tabindex", "0");
    area.setAttribute("aria-label", `${moves.map(brief).join(" or ")}. ${title ? title.textContent : ""}`);
    const numbers = moves.map((move) => now.moves.indexOf(move) + 1).filter(Boolean);
    if (!numbers.length) return;
    const hit = area.querySelector(":scope > .hit");
    const tag = document.createElementNS(SVG, "g");
    const ground = document.createElementNS(SVG, "rect");
    const number = document.createElementNS(SVG, "text");
    number.textContent = numbers.join(",");
    if (number.textContent.length > 7) number.textContent = `${numbers[0]}...`;
    const wide = 9 + 7 * number.textContent.length;
    const [x, y] = corner(hit);
    for (const [name, value] of Object.entries({ x, y: y - 8, width: wide, height: 16, rx: 5 })) ground.setAttribute(name, value);
    number.setAttribute("x", x + wide / 2);
    number.setAttribute("y", y + 4);
    tag.setAttribute("class", "tag");
    tag.setAttribute("aria-hidden", "true");
    tag.append(ground, number);
    area.append(tag);
  };

  // A place on the outline, where the number of a move hides little.
  const corner = (hit) => {
    if (hit.tagName === "path") {
      const place = hit.getPointAtLength(0);
      return [place.x - 8, place.y];
    }
    const box = hit.getBBox();
    return hit.tagName === "circle" ? [box.x + box.width / 2 - 8, box.y] : [box.x - 3, box.y - 1];
  };

  const tell = (step) => {
    const last = find("log").lastElementChild;
    if (last && last.dataset.start === String(step.start)) last.remove(); // it was told before its chance had come
    if (step.round !== round && step.round) find("log").append(element("li", `Round ${step.round}`, "round"));
    round = step.round;
    const line = element("li", "", step.own ? "mine" : "");
    line.dataset.stop = step.stop;
    line.dataset.start = step.start;
    line.title = "look at the board after this";
    const name = step.seat === null ? "chance" : step.own ? "you" : now.names[step.seat];
    line.append(badge(step.seat), `${name}: ${step.texts.join(", ")}`);
    for (const news of step.news) line.append(element("span", news, "result"));
    find("log").append(line);
    find("scroll").scrollTop = find("scroll").scrollHeight;
  };

  const panel = (state, kept) => {
    const yours = state.moves.length > 0;
    document.body.dataset.asked = yours;
    const asked = yours ? `${whose(state)}: ${state.question.asked}` : state.question.asked.replace(/^./, (first) => first.toUpperCase());
    find("question").replaceChildren(state.result ? state.result.title : asked);
    find("question").classList.toggle("verdict", state.over);
    find("question").append(...state.question.clauses.map(rule));
    find("trail").textContent = state.trail.length ? `so far: ${state.trail.join(" > ")}` : "";
    find("wait").textContent = "";
    find("scrub").max = state.events;
    find("scrub").value = state.events;
    find("watch").hidden = !state.watched || state.over;
    find("do-undo").hidden = state.watched;
    find("filter").value = "";
    find("filter").hidden = state.moves.length < 7;
    list(state);
    find("result").replaceChildren(...(state.result ? outcome(state) : []));
    find("save").textContent = state.saves === "page" ? "Save what you saw" : "Save replay";
    find("save").title = state.saves === "page" ? "A page to look through. Hidden cards are left out until the game is over." : "";
    find("do-undo").disabled = !state.can_undo;
    find("do-hint").disabled = !yours;
    find("do-hint").hidden = !state.hints || state.watched || state.over;
    if (state.over) find("legend").open = false;
    find("about").replaceChildren();
    refocus(kept);
  };

  const whose = (state) => (state.names[state.person] === "you" ? "You" : `Seat ${state.person}, ${state.names[state.person]}`);

  const list = (state) => {
    const buttons = state.moves.map((move, index) => {
      const button = element("button");
      button.type = "button";
      button.dataset.action = move.text;
      button.append(element("span", String(index + 1), "number"), move.text);
      button.addEventListener("click", () => tap(move.text));
      button.addEventListener("pointerenter", () => show(move.text));
      button.addEventListener("focus", () => show(move.text));
      return button;
    });
    if (!buttons.length && state.hides && !state.over && !state.busy && state.viewer !== state.person) {
      const hide = element("button", "Hide my cards");
      hide.type = "button";
      hide.id = "hide";
      hide.addEventListener("click", () => send("/api/uncover", { seat: null }));
      buttons.push(hide);
    }
    find("moves").replaceChildren(...buttons);
    find("moves").scrollTop = 0;
  };

  // Who has won is said above, large; here why, and where every point came from.
  const outcome = (state) => {
    const lines = state.result.seats.map((seat, number) => {
      const line = element("li", "", seat.won ? "won" : "");
      line.append(badge(number), element("b", seat.name), element("span", String(seat.score), "score"));
      for (const [reason, points] of seat.points) line.append(element("small", `${reason}: ${points > 0 ? "+" : "\u2212"}${Math.abs(points)}`));
      return line;
    });
    const table = element("ol");
    table.append(...lines);
    const next = element("div", "", "next");
    if (state.again) next.append(button("Rematch", () => again(false)), button("Rematch, seats changed", () => again(true)));
    next.append(link("Look through", "/look"), link("New game", "/start"));
    const worst = element("div");
    worst.id = "worst";
    offerReview(worst);
    return [...(state.result.why ? [element("p", state.result.why)] : []), next, table, worst];
  };

  // The decisions that cost most, each with what was better, and what was luck.
  const offerReview = async (place) => {
    let told = await ask("/api/reviewed");
    const show = () => {
      const far = told.stage === "busy" ? element("p", `Looking at decision ${told.done + 1} of ${told.wanted || "..."}`) : null;
      const none = told.stage === "ready" && !told.worst.length ? element("p", "No move was worse than the best one beyond noise.") : null;
      place.replaceChildren(...[element("h3", "What cost most"), far, none].filter(Boolean), ...told.worst.map((one) => {
        const line = button(whole(`event ${one.event + 1}: ${one.text}`), () => lookAt(one.event));
        line.prepend(badge(one.seat));
        return line;
      }), ...(told.luck.length ? [element("h3", "Luck or skill"), ...told.luck.map((sentence) => element("p", whole(sentence)))] : []));
    };
    const follow = async () => {
      while (told && told.stage === "busy" && place.isConnected) {
        show();
        await new Promise((done) => setTimeout(done, 1000));
        told = await ask("/api/reviewed");
      }
      if (told && place.isConnected) show();
    };
    if (!told || told.stage === "never") return;
    if (told.stage !== "none") return follow();
    place.append(button("What cost most? Was it luck?", async () => {
      told = await ask("/api/review", {});
      follow();
    }));
  };

  const button = (text, act) => {
    const made = element("button", text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  };

  const link = (text, to) => {
    const made = element("a", text);
    made.href = to;
    return made;
  };

  // The same people and agents once more.
  const again = async (turned) => {
    let told = await ask("/api/again", { turned });
    while (told && told.stage === "busy") {
      find("wait").textContent = `The next game gets ready ... ${told.text}`;
      await new Promise((done) => setTimeout(done, 200));
      told = await ask("/api/progress");
    }
    if (told && told.stage === "ready") location.assign("/");
    else if (told) say([told.text]);
  };

  const say = (lines) => find("about").replaceChildren(...lines.map((line) => {
    const made = element("p");
    made.append(...line.split(/(\(\d+\.\d+[a-z]?(?:, \d+\.\d+[a-z]?)*\))/).flatMap((part) => (/^\(\d/.test(part) ? part.match(/[\d.]+[a-z]?/g).map(rule) : [part])));
    return made;
  }));

  // A clause that a click shows.
  const rule = (clause) => {
    const made = button(`(${clause})`, async () => {
      const told = await ask(`/api/rule?${new URLSearchParams({ clause })}`);
      if (!told) return;
      find("clause-title").textContent = told.title;
      find("clause-text").textContent = told.text;
      find("clause").showModal();
    });
    made.className = "clause";
    made.setAttribute("aria-label", `rule ${clause}`);
    return made;
  };

  // ------------------------------------------------------------------------------------------------- focus

  const focused = () => {
    const at = document.activeElement;
    if (!at || at === document.body) return null;
    if (at.dataset.action) return { action: at.dataset.action };
    const area = at.closest("#board [data-key]");
    if (area) return { key: area.dataset.key };
    return at.closest("#offer, #cover") || at.id === "filter" || at.id === "hide" ? {} : null;
  };

  const refocus = (kept) => {
    if (!kept) {
      if (document.activeElement === document.body) find("question").focus({ preventScroll: true });
      return;
    }
    const named = (all, name, value) => [...all].find((each) => each.dataset[name] === value);
    const found = kept.key ? named(board.querySelectorAll("[data-moves]"), "key", kept.key) : kept.action ? named(find("moves").children, "action", kept.action) : null;
    (found || find("question")).focus({ preventScroll: true });
  };

  // ------------------------------------------------------------------------------------------------- covering

  const cover = (state) => {
    board.replaceChildren();
    picture = null;
    present = new Map();
    past = null;
    find("banner").hidden = true;
    for (const id of ["log", "moves", "about", "hint", "trail", "question", "result", "told"]) find(id).replaceChildren();
    closeOffer();
    find("all").inert = true;
    find("cover").hidden = false;
    find("whose").textContent = state.busy ? "Others are at it ..." : `Seat ${state.person}, ${state.names[state.person]}, is to decide.`;
    find("uncover").hidden = state.busy;
    find("uncover").textContent = `Seat ${state.person} alone looks now`;
    if (!state.busy) find("uncover").focus();
  };

  const uncover = () => {
    find("cover").hidden = true;
    find("all").inert = false;
  };

  // ------------------------------------------------------------------------------------------------- before the click

  const show = (action) => {
    if (wanted === action || document.body.dataset.busy === "true") return;
    forget();
    wanted = action;
    timer = setTimeout(() => preview(action), REST);
  };

  const preview = async (action) => {
    const ply = now.ply;
    if (document.body.dataset.busy === "true") return;
    if (!previews.has(action)) {
      const told = await ask(`/api/preview?${new URLSearchParams({ ply, action })}`);
      if (!told || told.overtaken || now.ply !== ply) return;
      previews.set(action, told);
    }
    if (wanted !== action || past !== null || !picture) return;
    const told = previews.get(action);
    say([`${action}: ${told.lines[0] || ""}`, ...told.lines.slice(1)]);
    const shadow = parsed(`<g class="shadow" aria-hidden="true">${told.outlines}</g>`).firstElementChild;
    picture.root.querySelector(".shadow")?.remove();
    picture.root.append(shadow);
  };

  const forget = () => {
    clearTimeout(timer);
    wanted = null;
    picture?.root.querySelector(".shadow")?.remove();
  };

  const hover = (area) => {
    const moves = movesAt(area);
    if (moves.length === 1) show(moves[0].text);
    else if (moves.length && wanted !== area) {
      forget();
      wanted = area;
      say([`here you may: ${moves.map(brief).join("; ")}`]);
    }
  };

  // ------------------------------------------------------------------------------------------------- the click

  const choose = (area) => {
    const moves = movesAt(area);
    if (moves.length === 1) play(moves[0].text);
    else if (moves.length) offer(area, moves);
  };

  // With a finger: the first tap tells what a move does, the next one plays it.
  const tap = (text) => {
    if (!touch.matches || looked === text) return play(text);
    looked = text;
    show(text);
    for (const each of document.querySelectorAll("#moves button, #offer button")) each.classList.toggle("looked", each.dataset.action === text);
  };

  const tapAt = (area) => {
    const moves = movesAt(area);
    const again = moves.find((move) => move.text === looked);
    if (!touch.matches) return choose(area);
    if (again) return play(again.text);
    closeOffer();
    offer(area, moves);
    if (moves.length === 1) tap(moves[0].text);
  };

  const offer = (area, moves) => {
    const buttons = moves.map((move) => {
      const button = element("button", brief(move));
      button.type = "button";
      button.dataset.action = move.text;
      button.addEventListener("click", () => tap(move.text));
      button.addEventListener("focus", () => show(move.text));
      button.addEventListener("pointerenter", () => show(move.text));
      return button;
    });
    const box = find("offer");
    box.replaceChildren(...buttons);
    box.hidden = false;
    box.from = area.dataset.key;
    if (phone.matches) return;
    const place = area.getBoundingClientRect();
    const ground = find("table").getBoundingClientRect();
    const left = Math.max(0, Math.min(place.left - ground.left, ground.width - box.offsetWidth - 4));
    box.style.left = `${left}px`;
    box.style.top = `${Math.max(0, place.bottom - ground.top + 4)}px`;
    buttons[0].focus({ preventScroll: true });
    box.scrollIntoView({ block: "nearest" });
  };

  const closeOffer = () => {
    const box = find("offer");
    looked = null;
    if (box.hidden) return;
    const inside = box.contains(document.activeElement);
    box.hidden = true;
    box.replaceChildren();
    if (inside) refocus({ key: box.from });
  };

  const why = async (target) => {
    const keys = [];
    for (let at = target.closest("[data-key]"); at; at = at.parentElement.closest("[data-key]")) keys.push(at.dataset.key);
    if (!now.moves.length) return;
    forget();
    const asked = new URLSearchParams([["ply", now.ply], ...keys.map((key) => ["key", key])]);
    const told = keys.length ? await ask(`/api/why?${asked}`) : { why: "nothing can be done there" };
    if (told && told.why) say([`Not here: ${told.why}.`, `${whose(now)}: ${now.question.asked}.`]);
  };

  board.addEventListener("click", (event) => {
    if (showing) hurry = true;
    else if (past !== null) leavePast();
    else if (document.body.dataset.busy === "true") return;
    else {
      const area = event.target.closest("[data-moves]");
      if (!area || !touch.matches) closeOffer();
      if (area) tapAt(area);
      else why(event.target);
    }
  });
  board.addEventListener("pointerover", (event) => {
    const area = event.target.closest("[data-moves]");
    if (past !== null || showing) return;
    if (area) hover(area);
    else if (wanted && find("offer").hidden) forget();
  });
  board.addEventListener("focusin", (event) => {
    const area = event.target.closest("[data-moves]");
    if (area && past === null && !showing) hover(area);
  });

  // ------------------------------------------------------------------------------------------------- looking back

  const lookAt = async (event) => {
    if (showing || now.covered || !picture) return;
    if (event >= now.events) return leavePast();
    const told = await ask(`/api/at?event=${Math.max(0, event)}`);
    if (!told) return;
    forget();
    closeOffer();
    past = told.event;
    stopHint();
    find("scrub").value = told.event;
    document.body.classList.add("past");
    for (const [key, marks] of Object.entries(told.groups)) put(key, marks);
    find("banner").hidden = false;
    find("banner").textContent = `Looking at event ${told.event} of ${told.of}: ${told.told}. Nothing changes; End returns to the present.`;
    document.body.dataset.at = told.event;
  };

  const leavePast = () => {
    if (past === null) return;
    past = null;
    wish = null;
    find("scrub").value = now.events;
    document.body.classList.remove("past");
    find("banner").hidden = true;
    for (const [key, marks] of present) put(key, marks);
    equipAll();
    delete document.body.dataset.at;
  };

  const step = (by) => lookAt((past === null ? now.events : past) + by);

  find("scrub").addEventListener("input", () => {
    wish = Number(find("scrub").value);
    if (!seeking) seek();
  });
  const seek = async () => {
    seeking = true;
    for (let at = null; at !== wish && wish !== null;) {
      at = wish;
      await lookAt(at);
    }
    seeking = false;
  };
  find("log").addEventListener("click", (event) => {
    const line = event.target.closest("[data-stop]");
    if (line) lookAt(Number(line.dataset.stop));
  });

  // ------------------------------------------------------------------------------------------------- chances

  const weigh = async (state) => {
    find("bar").hidden = !find("odds").checked || state.covered || state.over;
    if (find("bar").hidden) return;
    const told = await ask(`/api/standing?${new URLSearchParams({ ply: state.ply })}`);
    if (told && told.shares && now.ply === state.ply) chances(find("bar"), state.names, told.shares);
  };
  find("odds").addEventListener("change", () => now && weigh(now));

  // ------------------------------------------------------------------------------------------------- watching

  const pause = () => {
    paused = !paused;
    hurry = true;
    find("pause").textContent = paused ? "Go on" : "Pause";
    if (!paused && document.body.dataset.busy === "false") send("/api/go", { once: false });
  };
  const onward = () => {
    if (!paused) pause();
    else if (document.body.dataset.busy === "false") send("/api/go", { once: true });
  };
  find("pause").addEventListener("click", pause);
  find("once").addEventListener("click", onward);
  find("follow").addEventListener("change", async () => {
    const seat = find("follow").value === "" ? null : Number(find("follow").value);
    if (!paused) pause();
    await rested();
    await send("/api/follow", { seat });
  });
  const rested = async () => {
    hurry = true;
    while (document.body.dataset.busy === "true") await new Promise((done) => setTimeout(done, 30));
  };

  // ------------------------------------------------------------------------------------------------- hints

  const stopHint = () => {
    asking?.abort();
    asking = null;
    find("hint").replaceChildren();
    unmark();
    delete document.body.dataset.hint;
  };

  const unmark = () => {
    picture?.root.querySelector(".hints")?.remove();
    for (const marked of document.querySelectorAll(".hinted")) marked.classList.remove("hinted");
    for (const share of document.querySelectorAll("#moves .share")) share.remove();
  };

  // Up to five moves, tinted on the board and numbered by win share, there and in the list.
  const mark = (told) => {
    unmark();
    if (!picture || past !== null) return;
    const level = told.equal === now.moves.length;
    const places = new Map();
    for (const one of told.best) {
      const share = `${level ? "=" : ["1st", "2nd", "3rd", "4th", "5th"][one.place - 1]} ${Math.round(100 * one.share)} %`;
      const line = [...find("moves").children].find((each) => each.dataset.action === one.text);
      line?.append(element("span", share, "share"));
      const key = now.moves.find((move) => move.text === one.text)?.key;
      const area = [...board.querySelectorAll("[data-moves]")].find((each) => each.dataset.key === key);
      if (area && !places.has(area)) places.set(area, share);
    }
    const signs = picture.root.appendChild(document.createElementNS(SVG, "g"));
    signs.setAttribute("class", "hints");
    signs.setAttribute("aria-hidden", "true");
    const taken = [];
    for (const [area, share] of places) {
      area.classList.add("hinted");
      signs.append(sign(area.querySelector(":scope > .hit"), share, taken));
    }
  };

  // A pill on the lower edge of a place, above everything else, and beside those that have been put there.
  const sign = (hit, text, taken) => {
    const box = hit.getBBox();
    const at = new DOMPoint(box.x + box.width / 2, box.y + box.height).matrixTransform(picture.root.getScreenCTM().inverse().multiply(hit.getScreenCTM()));
    const made = parsed('<g class="share"><rect height="17" rx="8"/><text/></g>').firstElementChild;
    const [ground, label] = made.children;
    if (box.width < 12 + 7 * text.length) [text] = text.split(" "); // the list tells the rest
    const wide = 12 + 7 * text.length;
    const room = picture.root.viewBox.baseVal;
    const x = Math.max(wide / 2, Math.min(at.x, room.width - wide / 2));
    let y = Math.min(at.y + 5, room.height - 9);
    while (taken.some(([left, top]) => Math.abs(left - x) < wide && Math.abs(top - y) < 18)) y -= 18;
    taken.push([x, y]);
    label.textContent = text;
    for (const [name, value] of Object.entries({ x: x - wide / 2, y: y - 8.5, width: wide })) ground.setAttribute(name, value);
    label.setAttribute("x", x);
    label.setAttribute("y", y + 4);
    return made;
  };

  const advise = (told) => {
    const number = now.moves.findIndex((move) => move.text === told.move) + 1;
    const first = told.move === null ? [] : [`The ${told.adviser} would play ${number}, ${told.move}.`];
    const equal = told.complete && told.equal > 1 && `${told.equal === now.moves.length ? "All" : "The best"} ${told.equal} moves are equal within noise.`;
    const note = told.complete && told.lines.length ? "" : told.note;
    const lines = [...first, equal, note, told.complete ? "" : "Esc stops it."].filter(Boolean).map((line) => element("p", line));
    const open = find("hint").querySelector("details")?.open;
    const all = element("details");
    all.open = Boolean(open);
    all.append(element("summary", "what every move is worth"), ...told.lines.map((line) => element("p", line)));
    find("hint").replaceChildren(...lines, ...(told.lines.length ? [all] : []));
    mark(told);
    document.body.dataset.hint = told.complete ? "complete" : "going";
  };

  const hint = async () => {
    if (!now || !now.moves.length || !now.hints) return;
    stopHint();
    const mine = new AbortController();
    asking = mine;
    find("hint").textContent = "Thinking; Esc stops it.";
    try {
      const answer = await fetch("/api/hint", { signal: mine.signal });
      if (!answer.ok) {
        find("hint").textContent = (await answer.json()).error;
        return;
      }
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const parts = (rest + value).split("\n");
        rest = parts.pop();
        const last = parts.filter(Boolean).pop();
        if (last && asking === mine) advise(JSON.parse(last));
      }
      if (asking === mine) asking = null;
    } catch (error) {
      if (asking === mine) find("hint").textContent = "The hint was stopped.";
    }
  };

  // ------------------------------------------------------------------------------------------------- commands

  const undo = () => now && now.can_undo && send("/api/undo", {});
  const showText = async () => {
    const told = await ask("/api/text");
    if (!told) return;
    find("told").textContent = told.text;
    find("text").showModal();
  };
  const filter = () => {
    const part = find("filter").value.toLowerCase();
    for (const button of find("moves").children) button.hidden = !button.textContent.toLowerCase().includes(part);
  };
  const escape = () => {
    if (!find("offer").hidden) closeOffer();
    else if (past !== null) leavePast();
    else if (asking) {
      asking.abort();
      asking = null;
      find("hint").textContent = "The hint was stopped.";
    } else if (document.body.dataset.hint) stopHint();
    else if (document.activeElement === find("filter")) {
      find("filter").value = "";
      filter();
      find("question").focus({ preventScroll: true });
    }
  };
  const commands = {
    h: hint, u: undo, w: () => find("odds").click(), l: () => { find("legend").open = !find("legend").open; }, ".": () => now.watched && onward(), t: showText, r: () => find("rules").showModal(), "?": () => find("keys").showModal(),
    b: () => board.focus(), ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => lookAt(0), End: leavePast, Escape: escape,
  };

  // Digits are collected as long as another one can follow: until Enter or a rest.
  const collect = (digit) => {
    clearTimeout(typing);
    digits += digit;
    if (Number(digits) * 10 > now.moves.length) number();
    else {
      find("wait").textContent = `move ${digits} ... Enter plays it`;
      typing = setTimeout(number, PATIENCE);
    }
  };
  const number = () => {
    clearTimeout(typing);
    const move = now.moves[Number(digits) - 1];
    digits = "";
    find("wait").textContent = "";
    if (move && document.body.dataset.busy === "false") play(move.text);
  };

  document.addEventListener("pointerdown", () => { document.body.dataset.pointer = "true"; });
  document.addEventListener("keydown", () => { delete document.body.dataset.pointer; }, true);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !now || document.querySelector("dialog[open]") || !find("cover").hidden) return;
    const typing = event.target === find("filter");
    if (typing && event.key === "Enter") {
      const left = [...find("moves").children].filter((button) => !button.hidden);
      if (left.length === 1) play(left[0].dataset.action);
      return;
    }
    if (event.target.tagName === "SELECT" || (typing && event.key !== "Escape")) return;
    if (event.key === "Enter" && digits) {
      event.preventDefault();
      number();
    } else if (event.key === " " && now.watched && event.target.tagName !== "BUTTON") {
      event.preventDefault();
      pause();
    } else if (event.key === "Enter" || event.key === " ") {
      const area = event.target.closest("#board [data-moves]");
      if (!area) return;
      event.preventDefault();
      if (past === null && !showing) choose(area);
    } else if (commands[event.key]) {
      event.preventDefault();
      if (showing) hurry = true;
      else commands[event.key]();
    } else if (/^\d$/.test(event.key) && now.moves.length) {
      collect(event.key);
    } else if (/^[a-z/]$/i.test(event.key) && !find("filter").hidden) {
      if (event.key === "/") event.preventDefault();
      find("filter").focus();
    }
  });
  find("filter").addEventListener("input", filter);
  find("back").addEventListener("click", () => step(-1));
  find("on").addEventListener("click", () => step(1));
  find("do-text").addEventListener("click", showText);
  find("do-rules").addEventListener("click", commands.r);
  find("do-keys").addEventListener("click", commands["?"]);
  find("do-undo").addEventListener("click", undo);
  find("do-hint").addEventListener("click", hint);
  find("uncover").addEventListener("click", () => send("/api/uncover", { seat: now.person }));
  // What the signs mean is told unasked once for every game; a cookie, since the next address has another port.
  const game = document.body.dataset.game;
  const seen = (document.cookie.match(/atlantis-seen=([\w.-]*)/) || ["", ""])[1].split(".").filter(Boolean);
  if (!seen.includes(game)) {
    find("legend").open = true;
    document.cookie = `atlantis-seen=${[...seen, game].join(".")}; max-age=31536000; samesite=strict; path=/`;
  }
  // On a telephone what a move does, and the moves of a place, are told below the board.
  const settle = () => {
    if (phone.matches) find("sheet").append(find("about"), find("offer"));
    else {
      find("side").append(find("about"));
      find("table").append(find("offer"));
    }
  };
  settle();
  phone.addEventListener("change", async () => {
    settle();
    if (now) await receive(await ask(here()));
  });
  ask(here()).then((state) => {
    if (state) find("odds").checked = state.watched;
    if (state) state.names.forEach((name, seat) => find("follow").append(new Option(`as ${name} (${seat})`, String(seat))));
    return receive(state);
  });
})();
