// The start page: which game, who sits where, files. What is allowed is the server's to say.
(() => {
  const find = (id) => document.getElementById(id);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const AGAIN = 250; // ms between two looks at a game that gets ready
  const PERSON = "";
  let offers = [];
  let chosen = null;
  let opened = null; // what the file is of
  const plans = new Map(); // game -> what was chosen for it

  const fault = (text) => { find("fault").textContent = text; };

  const ask = async (path, body) => {
    const sent = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    try {
      const answer = await fetch(path, sent);
      const said = await answer.json().catch(() => ({ error: "This page is no longer let in: open the address that atlantis printed." }));
      if (answer.ok) return said;
      fault(said.error);
    } catch {
      fault("The server does not answer: is atlantis still running?");
    }
    return null;
  };

  // ------------------------------------------------------------------------------------------------- what is chosen

  const usual = (offer) => {
    const agent = offer.agents.length ? offer.agents[0].text : PERSON;
    const seats = Array.from({ length: offer.players[1] }, (_, seat) => ({ name: "", agent: seat ? agent : PERSON }));
    const options = Object.fromEntries(offer.options.map((option) => [option.name, option.usual]));
    return { count: offer.usual, seats, options };
  };

  const setting = (offer) => {
    const plan = plans.get(offer.game);
    const players = plan.seats.slice(0, plan.count).map(({ name, agent }) => ({ name, agent: agent === PERSON ? null : agent }));
    const options = Object.fromEntries(offer.options.filter((option) => plan.options[option.name] !== option.usual).map((option) => [option.name, plan.options[option.name]]));
    return { game: offer.game, players, options, seed: find("seed").value ? Number(find("seed").value) : null, go_on: opened !== null && offer.game === opened.game };
  };

  // ------------------------------------------------------------------------------------------------- cards

  const paint = () => {
    for (const card of find("boards").children) {
      const colours = offers.find((offer) => offer.game === card.dataset.game).picture.colours;
      if (colours) for (const [name, value] of Object.entries(colours[dark.matches ? "dark" : "light"])) card.firstElementChild.style.setProperty(name, value);
    }
  };

  const counted = (offer) => (offer.players[0] === offer.players[1] ? `${offer.players[0]} players` : `${offer.players[0]} to ${offer.players[1]} players`);

  const card = (offer) => {
    const made = element("article", "", "card");
    made.dataset.game = offer.game;
    const picture = element("div", "", "picture");
    picture.setAttribute("aria-hidden", "true");
    if (offer.picture.svg) picture.append(parsed(offer.picture.svg).firstElementChild);
    const play = element("button", `Play ${offer.title}`, "play");
    const seats = element("button", "Seats", "seats");
    for (const button of [play, seats]) button.type = "button";
    seats.setAttribute("aria-label", `${offer.title}: choose who sits where`);
    play.addEventListener("click", (event) => { event.stopPropagation(); leave(); begin(offer); });
    made.addEventListener("click", () => { leave(); choose(offer.game); });
    const buttons = element("div", "", "buttons");
    buttons.append(play, seats);
    made.append(picture, element("h2", offer.title), element("p", `${counted(offer)}. ${offer.goal.replace(/\.?$/, ".")}`), buttons);
    return made;
  };

  const leave = () => {
    opened = null;
    find("pick").value = "";
    find("opened").textContent = "";
    find("ways").hidden = true;
  };

  // ------------------------------------------------------------------------------------------------- seats

  const choices = (select, values, now) => {
    select.replaceChildren(...values.map(([value, text]) => {
      const made = element("option", text);
      made.value = value;
      return made;
    }));
    select.value = now;
  };

  const choose = (game) => {
    chosen = offers.find((offer) => offer.game === game);
    const plan = plans.get(game);
    for (const made of find("boards").children) made.classList.toggle("chosen", made.dataset.game === game);
    const [least, most] = chosen.players;
    const fixed = opened !== null;
    find("what").textContent = fixed ? `${chosen.title}: who goes on` : `${chosen.title}: who sits where`;
    const counts = Array.from({ length: most - least + 1 }, (_, more) => String(least + more));
    choices(find("players"), counts.map((count) => [count, count]), String(plan.count));
    find("players").disabled = fixed;
    const level = chosen.options.find((option) => option.name === "level");
    find("levels").hidden = !level || fixed;
    if (level) choices(find("level"), level.allowed.map((value) => [String(value), String(value)]), String(plan.options.level));
    const others = chosen.options.filter((option) => option.name !== "level");
    find("more").hidden = !others.length || fixed;
    find("options").replaceChildren(...others.map((option) => rule(option, plan)));
    find("table").hidden = false;
    seat();
  };

  const rule = (option, plan) => {
    const made = element("label", `${option.about} `);
    const select = element("select");
    const words = (value) => (value === true ? "yes" : value === false ? "no" : String(value));
    choices(select, option.allowed.map((value, number) => [String(number), words(value)]), String(option.allowed.indexOf(plan.options[option.name])));
    select.addEventListener("change", () => { plan.options[option.name] = option.allowed[Number(select.value)]; });
    made.append(select);
    return made;
  };

  const seat = () => {
    const plan = plans.get(chosen.game);
    const known = chosen.agents.map(({ text, note }) => [text, note ? `${text}: ${note}` : text]);
    find("seats").replaceChildren(...plan.seats.slice(0, plan.count).map((place, number) => {
      const line = element("li");
      const select = element("select");
      select.setAttribute("aria-label", `who sits in seat ${number}`);
      choices(select, [[PERSON, "a person"], ...known], place.agent);
      const name = element("input");
      name.maxLength = 30;
      name.value = place.name;
      name.placeholder = "name";
      name.autocomplete = "off";
      name.setAttribute("aria-label", `name of seat ${number}`);
      select.addEventListener("change", () => { place.agent = select.value; });
      name.addEventListener("input", () => { place.name = name.value; });
      line.append(badge(number), select, name);
      return line;
    }));
  };

  // ------------------------------------------------------------------------------------------------- beginning

  const begin = async (offer) => {
    fault("");
    if (await ask("/api/begin", setting(offer))) follow(offer.title);
  };

  const follow = async (title) => {
    find("wait").hidden = false;
    find("waiting").textContent = `Getting ${title} ready ...`;
    find("waiting").focus();
    for (;;) {
      const told = await ask("/api/progress");
      if (told && told.stage === "ready") return location.assign("/");
      if (!told || told.stage !== "busy") {
        find("wait").hidden = true;
        if (told) fault(told.text);
        return null;
      }
      const part = told.text.match(/(\d+) of (\d+)/);
      if (part) {
        find("bar").max = Number(part[2]);
        find("bar").value = Number(part[1]);
      }
      find("status").textContent = told.text ? `First use only, then kept: ${told.text}` : "";
      await new Promise((done) => setTimeout(done, AGAIN));
    }
  };

  const open = async () => {
    fault("");
    const file = find("pick").files[0];
    if (!file) return leave();
    find("opened").textContent = `Reading ${file.name} ...`;
    const told = await ask("/api/open", { text: await file.text() });
    if (!told) return leave();
    opened = told;
    const names = told.players.map((player) => player.name).join(", ");
    find("opened").textContent = `${told.title}: ${names}; ${told.events} events; ${told.over ? "played to its end" : "not over yet"}.`;
    find("ways").hidden = false;
    find("on").hidden = told.over;
    if (told.over) return null;
    const plan = plans.get(told.game);
    const known = offers.find((offer) => offer.game === told.game).agents.map(({ text }) => text);
    plan.count = told.players.length;
    told.players.forEach(({ name, agent }, number) => {
      plan.seats[number] = { name, agent: agent === null ? PERSON : known.includes(agent) ? agent : known[0] };
    });
    choose(told.game);
    return null;
  };

  find("table").addEventListener("submit", (event) => { event.preventDefault(); begin(chosen); });
  find("players").addEventListener("change", () => { plans.get(chosen.game).count = Number(find("players").value); seat(); });
  find("level").addEventListener("change", () => { plans.get(chosen.game).options.level = Number(find("level").value); });
  find("pick").addEventListener("change", open);
  find("on").addEventListener("click", () => begin(offers.find((offer) => offer.game === opened.game)));
  find("back").hidden = !document.body.dataset.back;
  dark.addEventListener("change", paint);
  ask("/api/offers").then(async (told) => {
    if (!told) return;
    offers = told;
    for (const offer of offers) plans.set(offer.game, usual(offer));
    find("boards").replaceChildren(...offers.map(card));
    paint();
    choose(offers[0].game);
    document.body.dataset.ready = "true";
    const now = await ask("/api/progress");
    if (now && now.stage === "busy") follow("the game");
  });
})();
