// One passage after the other. What is answered goes into a line of its own: it is sent in order, and again until the
// server has it, whatever the rater does meanwhile.

const token = location.hash.slice(1);
const again = 1500; // milliseconds until the server is asked once more
const state = { items: new Map(), queue: [], said: new Map(), history: [], waiting: [], sending: false };

async function ask(path, options = {}) {
  const headers = { Authorization: `Bearer ${token}`, ...(options.body ? { "Content-Type": "application/json" } : {}) };
  const answer = await fetch(path, { cache: "no-store", ...options, headers });
  const content = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(content.error), { status: answer.status });
  return content;
}

const current = () => state.queue.find((id) => !state.said.has(id));

function notice(text) {
  if (byId("notice").textContent !== text) byId("notice").textContent = text;
  byId("notice").hidden = !text;
}

function show(before = null) {
  const id = current();
  const rated = state.said.size;
  byId("progress").max = state.items.size;
  byId("progress").value = rated;
  byId("told").textContent = `${rated} of ${state.items.size} rated`;
  byId("asking").hidden = id === undefined;
  byId("done").hidden = id !== undefined;
  byId("steps").hidden = false;
  byId("undo").disabled = !state.history.length;
  byId("skip").disabled = state.items.size - rated < 2;
  if (id === undefined) {
    byId("done").focus();
    return;
  }
  const text = state.items.get(id);
  byId("passage").textContent = text.trim() ? text : "(nothing is left of this passage)";
  byId("passage").classList.toggle("nothing", !text.trim());
  byId("comment").value = before?.comment ?? "";
  document.querySelectorAll("[data-value]").forEach((button) => {
    button.setAttribute("aria-pressed", String(Number(button.dataset.value) === before?.value));
  });
  byId("passage").focus({ preventScroll: true });
  scrollTo(0, 0);
}

function send(answer) {
  state.waiting.push(answer);
  if (!state.sending) drain();
}

async function drain() {
  state.sending = true;
  while (state.waiting.length) {
    try {
      const { answered } = await ask("/answers", { method: "POST", body: JSON.stringify(state.waiting[0]) });
      state.waiting.shift();
      notice("");
      if (!state.waiting.length) learn(answered);
    } catch (error) {
      notice(waits(error));
      await new Promise((later) => setTimeout(later, again));
    }
  }
  state.sending = false;
}

function waits(error) {
  const many = state.waiting.length;
  const answers = `${many} ${many === 1 ? "answer" : "answers"}`;
  if (error.status === 401) return `The server was started anew, and ${answers} of this page were not saved: open the address that it printed last.`;
  const why = error.status ? `Not saved: ${error.message}.` : "The server does not answer.";
  return `${why} ${answers} will be sent again: leave this page open.`;
}

/** What the same rater answered on another page counts as well. */
function learn(answered) {
  const there = new Set(answered);
  const shown = current();
  const elsewhere = answered.filter((id) => !state.said.has(id));
  elsewhere.forEach((id) => state.said.set(id, null));
  [...state.said.keys()].filter((id) => !there.has(id)).forEach((id) => state.said.delete(id));
  if (current() !== shown) show();
  else byId("told").textContent = `${state.said.size} of ${state.items.size} rated`;
  byId("progress").value = state.said.size;
}

function rate(value) {
  const item = current();
  if (item === undefined) return;
  const answer = { item, value, comment: byId("comment").value.trim() };
  state.said.set(item, answer);
  state.history.push(answer);
  send(answer);
  show();
}

function undo() {
  const last = state.history.pop();
  if (!last) return;
  state.said.delete(last.item);
  state.queue = [last.item, ...state.queue.filter((id) => id !== last.item)];
  send({ item: last.item, value: null });
  show(last);
}

function skip() {
  const id = current();
  if (id === undefined || byId("skip").disabled) return;
  state.queue = [...state.queue.filter((one) => one !== id), id];
  show();
}

const keys = { 0: () => rate(0), 1: () => rate(1), 2: () => rate(2), u: undo, s: skip, c: () => byId("comment").focus() };

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target === byId("comment")) {
    if (event.key === "Escape") byId("passage").focus();
    return;
  }
  const act = keys[event.key.toLowerCase()];
  if (!act || !state.items.size) return;
  event.preventDefault();
  act();
}

async function begin() {
  startTheme();
  for (;;) {
    try {
      const { rater, items, answers } = await ask("/items");
      byId("who").textContent = `You rate as ${rater}.`;
      items.forEach(({ id, text }) => state.items.set(id, text));
      state.queue = items.map(({ id }) => id);
      answers.forEach((answer) => state.said.set(answer.item, answer));
      state.history = answers;
      break;
    } catch (error) {
      notice(error.status ? `Nothing to show: ${error.message}.` : "The server does not answer. Trying again.");
      document.documentElement.dataset.ready = "0";
      if (error.status) return;
      await new Promise((later) => setTimeout(later, again));
    }
  }
  notice("");
  document.querySelectorAll("[data-value]").forEach((button) => {
    button.addEventListener("click", () => rate(Number(button.dataset.value)));
  });
  byId("undo").addEventListener("click", undo);
  byId("skip").addEventListener("click", skip);
  addEventListener("keydown", pressed);
  addEventListener("beforeunload", (event) => state.waiting.length && event.preventDefault());
  show();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

begin();
