// Step through a schedule, on a page and in JupyterLab, from the JSON within <simlib-view> that simlib_course/views.py
// makes. No kernel is needed.

const INTERVAL = 1500; // ms from one step to the next when it plays
const ROWS = 12; // of the queue, of the running jobs, and of the answers to a question
const PLANNED = 1, BACKFILLED = 2; // of a bar's looks
const STARTS = ["start", "backfill"];
const NOBODY = "nobody until the next event";
const HEARD = ["keydown", "beforeprint", "afterprint"]; // in the window

// Parts of pages

const builder = create => (tag, attributes = {}, ...children) => {
  const made = create(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made[name] = value;
    else if (value != null && value !== false) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
};
const html = builder(tag => document.createElement(tag));
const svg = builder(tag => document.createElementNS("http://www.w3.org/2000/svg", tag));
const button = (name, title, onclick) => html("button", { type: "button", title, onclick }, name);

// Words

const number = value => value.toLocaleString("en-US", { useGrouping: "min2" });
const processors = (count, which = "") =>
  `${count ? number(count) : "no"} ${which}${which && " "}processor${count > 1 ? "s" : ""}`;
const several = names => names.length ? names.join(", ") : "no job";

// Frames have only what differs from the one before.
function unfolded(frames) {
  let state = { bars: {} };
  return frames.map(frame => {
    const bars = { ...state.bars, ...frame.bars };
    for (const job of Object.keys(bars)) if (bars[job] === null) delete bars[job];
    state = { ...state, ...frame, bars };
    return state;
  });
}

// The chart

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return power * [1, 2, 5, 10].find(digit => digit * power >= least);
}

function hatching() {
  const id = `sw-hatch-${Math.random().toString(36).slice(2)}`; // each stepper has a copy of this script, which cannot count
  return [`url(#${id})`, svg("defs", {}, svg("pattern",
    { id, width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("path", { d: "M0 0V8", class: "sw-hatch" })))];
}

class Chart {
  // A chart of a state, `width` pixels wide; `jobs` are framed, and `text` is what it says to those who do not see it.
  constructor(data, state, now, width, height, jobs, text) {
    Object.assign(this, { data, state, now });
    [this.left, this.right, this.top, this.bottom] = [46, width - 12, 38, height - 40];
    this.width = width;
    const [hatch, defs] = hatching();
    this.hatch = hatch;
    this.svg = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": text,
      "data-time": data.time, "data-box": [this.left, this.right, this.top, this.bottom] }, svg("title", {}, text), defs);
    this.axes();
    const bars = Object.entries(state.bars).map(([job, bar]) => ({ job: +job, start: bar[0], end: bar[1],
      planned: bar[2] & PLANNED, backfilled: bar[2] & BACKFILLED, pieces: this.pieces(bar) }));
    if (state.shadow != null) this.extra(bars);
    bars.forEach(bar => this.bar(bar));
    bars.filter(bar => jobs.includes(bar.job)).forEach(bar => this.rectangles(bar.pieces, bar.start, bar.end, "sw-frame"));
    bars.forEach(bar => this.name(bar));
    this.line(now, `now ${number(now)}`, "sw-now", 16, "end");
    if (state.shadow != null) {
      const text = `shadow time ${number(state.shadow)}, ${state.extra ? number(state.extra) : "no"} extra`;
      this.line(state.shadow, text, "sw-shadow", 32, "start", state.remembered && "sw-old");
    }
    if (data.mark) this.svg.append(svg("text", { x: (this.left + this.right) / 2, y: this.top + 20, class: "sw-mark" }, data.mark));
  }

  x(time) {
    const [first, last] = this.data.time;
    const inside = Math.min(Math.max(time, first), last);
    return this.left + (inside - first) / (last - first) * (this.right - this.left);
  }

  y(processor) {
    return this.bottom - processor / this.data.procs * (this.bottom - this.top);
  }

  pieces(bar) {
    const found = [];
    for (let at = 3; at < bar.length; at += 2) found.push([bar[at], bar[at + 1]]);
    return found;
  }

  axes() {
    const [first, last] = this.data.time, { left, right, top, bottom } = this;
    const [unit, size] = [["days", 86400], ["hours", 3600]].find(([, seconds]) => last - first >= 4 * seconds) || ["s", 1];
    const step = size * niceStep((last - first) / size / (this.width < 500 ? 5 : 10));
    this.svg.append(svg("path", { class: "sw-axis", d: `M${left} ${top}V${bottom}H${right}` }));
    for (let time = Math.ceil(first / step) * step; time <= last; time += step) {
      this.svg.append(svg("path", { class: "sw-axis", d: `M${this.x(time)} ${bottom}v4` }),
        svg("text", { x: this.x(time), y: bottom + 18, "text-anchor": "middle" }, String(time / size)));
    }
    const high = niceStep(this.data.procs / Math.min(10, (bottom - top) / 22));
    for (let row = 0; row <= this.data.procs; row += high) {
      this.svg.append(svg("path", { class: "sw-axis", d: `M${left} ${this.y(row)}h-4` }),
        svg("text", { x: left - 7, y: this.y(row) + 4, "text-anchor": "end" }, number(row)));
    }
    const middle = (top + bottom) / 2;
    this.svg.append(svg("text", { x: right, y: bottom + 35, "text-anchor": "end" }, `time [${unit}]`),
      svg("text", { x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, "processors"));
  }

  rectangles(pieces, from, until, looks, fill) {
    const x = this.x(from), width = this.x(until) - x;
    if (width <= 0) return [];
    const made = pieces.map(([low, count]) => svg("rect", { x, width, y: this.y(low + count),
      height: this.y(low) - this.y(low + count), class: looks, fill }));
    this.svg.append(...made);
    return made;
  }

  // What has happened is in full colour, what is expected pale, a reservation dashed, who was backfilled hatched.
  bar({ job, start, end, planned, backfilled, pieces }) {
    const { data, now } = this, fill = data.colours[job % data.colours.length];
    const until = Math.min(Math.max(now, start), end);
    const made = this.rectangles(pieces, start, until, "sw-piece", fill);
    made.push(...this.rectangles(pieces, until, end, "sw-piece sw-expected" + (planned ? " sw-reserved" : ""), fill));
    if (backfilled) made.push(...this.rectangles(pieces, start, end, "sw-lines", this.hatch));
    const what = planned ? "planned" : end > now ? "expected to end then" : "has run";
    const text = `${data.jobs.name[job]}: ${processors(data.jobs.procs[job])}, ${number(start)} to ${number(end)}, `
      + what + (backfilled ? ", backfilled" : "");
    this.svg.append(svg("g", { "data-job": data.jobs.name[job] }, svg("title", {}, text), ...made));
  }

  // A name stands in the highest piece, in its past or its expected part, where there is room for it.
  name({ job, start, end, pieces }) {
    if (!pieces.length) return;
    const { now } = this, text = this.data.jobs.name[job];
    const [low, count] = pieces.reduce((best, piece) => piece[1] > best[1] ? piece : best);
    const solid = start + end <= 2 * now;
    if (start < now && now < end) [start, end] = solid ? [start, now] : [now, end];
    const across = this.x(end) - this.x(start), upward = this.y(low) - this.y(low + count);
    const needed = 8 * text.length, line = 14;
    const fits = across >= needed && upward >= line;
    if (!fits && !(across >= 1.4 * line && upward >= needed)) return;
    const x = (this.x(start) + this.x(end)) / 2, y = this.y(low + count / 2);
    this.svg.append(svg("text", { x, y, class: "sw-name " + (solid ? "sw-solid" : "sw-faint"),
      transform: fits ? null : `rotate(-90 ${x} ${y})` }, text));
  }

  // The extra processors are shaded from the shadow time on: a job that needs no more of them may run as long as it likes.
  extra(bars) {
    const there = bars.filter(bar => bar.start <= this.state.shadow && bar.end > this.state.shadow);
    const free = [];
    let low = 0;
    for (const [first, count] of [...there.flatMap(bar => bar.pieces).sort((a, b) => a[0] - b[0]), [this.data.procs, 0]]) {
      if (first > low) free.push([low, first - low]);
      low = Math.max(low, first + count);
    }
    this.rectangles(free, this.state.shadow, this.data.time[1], "sw-extra");
  }

  // A line across the chart has its name above, on the side where there is room.
  line(time, text, looks, y, side, old) {
    const x = this.x(time), needed = 6.7 * text.length;
    const end = side === "end" ? x - this.left > needed - 40 : this.right - x < needed;
    this.svg.append(svg("g", { class: old }, svg("path", { class: looks, d: `M${x} ${y - 12}V${this.bottom}` }),
      svg("text", { x: x + (end ? -5 : 5), y, "text-anchor": end ? "end" : "start" }, text)));
  }
}

// What the looks of bars mean, as far as they are seen in one of the states.
function legend(states, framed) {
  const bars = states.flatMap(state => Object.values(state.bars)), fill = "#888";
  const key = (text, looks, lines) => {
    const [hatch, defs] = hatching(), box = { x: 2, y: 2, width: 20, height: 11 };
    const drawn = svg("svg", { viewBox: "0 0 24 15", "aria-hidden": true }, defs, svg("rect", { ...box, class: looks, fill }));
    if (lines) drawn.append(svg("rect", { ...box, fill: hatch }));
    return html("span", {}, drawn, ` ${text}`);
  };
  return html("p", { class: "sw-legend" },
    ...states.length > 1 ? [key("past", "sw-piece"), key("expected", "sw-piece sw-expected")] : [],
    ...bars.some(bar => bar[2] & PLANNED) ? [key("reserved", "sw-piece sw-expected sw-reserved")] : [],
    ...bars.some(bar => bar[2] & BACKFILLED) ? [key("backfilled", "sw-piece", true)] : [],
    ...states.some(state => state.extra) ? [key("extra processors", "sw-extra")] : [],
    ...framed ? [key("decided now", "sw-frame")] : []);
}

// Tell the width of a part of a page, now and whenever it changes.
function watchWidth(part, tell) {
  let before = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.round(entry.contentRect.width);
    if (width > 0 && width !== before) tell(before = width);
  }).observe(part);
}

// The stepper: buttons, a slider, keys and a clock, a chart, and what is said beside it

class Stepper {
  constructor(data, root) {
    Object.assign(this, { data, root });
    this.states = unfolded(data.frames);
    this.count = this.states.length;
    this.chart = html("div", { class: "sw-chart" });
    this.sentence = html("p", { class: "sw-sentence", role: "status", "aria-live": "polite", "aria-atomic": true });
    this.asks = html("div", { class: "sw-ask", role: "group", "aria-label": "Who starts next?" });
    this.facts = html("div", { class: "sw-state" });
    const head = root.querySelector(".sw-head"), controls = this.controls();
    const left = html("div", { class: "sw-left" }, this.chart, this.asks, this.sentence, legend(this.states, true));
    head.after(controls, html("div", { class: "sw-body" }, left, this.facts));
    const attributes = { tabindex: 0, role: "group", "aria-label": head.textContent };
    for (const [name, value] of Object.entries(attributes)) root.setAttribute(name, value);
    this.details = root.querySelector("details");
    this.details.open = false;
    this.predict(data.predict);
    this.go(0);
    watchWidth(this.chart, width => { this.width = width; this.draw(); });
  }

  // The buttons by their names: what each says of itself, and does; and the slider beside them.
  controls() {
    const buttons = {
      First: ["To the first decision", () => this.go(0)],
      Back: ["To the decision before that tells something new", () => this.back()],
      Play: ["Play on by itself, or pause", () => this.playOrPause()],
      Next: ["To the next decision that tells something new", () => this.next()],
      "Next start": ["To the next start of a job", () => this.nextStart()],
      Last: ["To the last decision", () => this.go(this.count - 1)],
      Predict: ["Say who starts next before it is shown", () => { this.predict(!this.predicting); this.go(this.place); }],
    };
    this.buttons = {};
    for (const [name, [title, action]] of Object.entries(buttons)) {
      this.buttons[name] = button(name, title, () => { if (name !== "Play") this.pause(); action(); });
    }
    this.slider = html("input", { type: "range", min: 1, max: this.count, "aria-label": "Decision", title: "Decision",
      oninput: () => { this.pause(); this.go(this.slider.value - 1); } });
    return html("div", { class: "sw-controls" }, ...Object.values(this.buttons), this.slider);
  }

  named(job) {
    return this.data.jobs.name[job];
  }

  // Where it goes

  go(place, answer = null) {
    this.answer = answer;
    this.place = Math.min(Math.max(place, 0), this.count - 1);
    this.slider.value = this.place + 1;
    this.slider.setAttribute("aria-valuetext",
      `${this.place + 1} of ${this.count}, second ${number(this.states[this.place].time)}`);
    if (this.width) this.draw();
    this.say();
  }

  // The next place at which something holds, or the last place
  ahead(holds) {
    const found = this.states.findIndex((state, at) => at > this.place && holds(state, at));
    return found < 0 ? this.count - 1 : found;
  }

  // Next, Back and Play stop where something new is told, and where there is a question.

  next() {
    this.go(this.ahead((_, at) => this.steps.has(at)));
  }

  back() {
    this.go(this.states.findLastIndex((_, at) => at < this.place && this.steps.has(at)));
  }

  nextStart() {
    this.go(this.ahead((state, at) => STARTS.includes(state.kind) || this.open(at)));
  }

  playOrPause() {
    if (this.clock) return this.pause();
    if (this.place === this.count - 1) this.go(0);
    this.clock = setInterval(() => {
      this.next();
      if (this.place === this.count - 1 || this.open()) this.pause();
    }, INTERVAL);
    this.buttons.Play.textContent = "Pause";
  }

  pause() {
    clearInterval(this.clock);
    this.clock = null;
    this.buttons.Play.textContent = "Play";
  }

  // What happens in the window comes here by its name; see <simlib-view>.

  handleEvent(event) {
    this[event.type](event);
  }

  // The window has a key before JupyterLab has: what is used here is no shortcut there, and all other keys are. The slider
  // has keys of its own, and what is focused is pressed by the space bar and by Enter.
  keydown(event) {
    const { target, key } = event;
    if (!this.root.contains(target) || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    const does = { ArrowRight: () => this.next(), ArrowLeft: () => this.back(), Home: () => this.go(0),
      End: () => this.go(this.count - 1), " ": () => this.playOrPause() }[key];
    const its = target === this.slider ? /^(Arrow|Page|Home|End)/.test(key) : target !== this.root && /^( |Enter)$/.test(key);
    if (does || its) event.stopPropagation();
    if (!does || its) return;
    event.preventDefault();
    if (key !== " ") this.pause();
    does();
  }

  // On paper stand the whole schedule and all sentences.

  beforeprint() {
    this.was = [this.place, this.details.open];
    this.details.open = true;
    this.go(this.count - 1);
  }

  afterprint() {
    this.details.open = this.was[1];
    this.go(this.was[0]);
  }

  // The question who starts next

  predict(on) {
    this.predicting = on;
    this.answers = {}; // whether the answer was right, by the place where it was asked
    this.buttons.Predict.setAttribute("aria-pressed", on);
    this.asks.hidden = !on; // else it keeps its room, so that nothing moves when the question goes
    const asked = this.states.flatMap((state, place) => on && state.ask ? [place] : []);
    this.steps = new Set([...this.data.steps, ...asked]);
  }

  open(place = this.place) {
    return this.predicting && !(place in this.answers) ? this.states[place].ask : null;
  }

  choose(job) {
    const [truth, until] = this.open(), asked = this.place;
    this.answers[asked] = job === truth;
    const all = Object.values(this.answers), right = all.filter(Boolean).length;
    const said = `${job === truth ? "Right" : "Not right"}: ${truth === null ? "nobody" : `job ${this.named(truth)}`} starts.`;
    this.go(until, { from: asked + 1, text: `${said} ${right} of ${all.length} right so far.` });
    (this.asks.querySelector("button") || this.buttons.Next).focus({ preventScroll: true });
  }

  // What is seen

  draw() {
    const seen = this.states[this.place], high = Math.min(Math.max(this.width * 0.42, 250), 420);
    const promise = seen.shadow == null ? "" : ` Shadow time ${number(seen.shadow)}, ${processors(seen.extra, "extra")}.`;
    const text = `Gantt chart of ${this.data.workload} under ${this.data.policy} at second ${number(seen.time)}. `
      + `Running: ${several(seen.running.map(job => this.named(job)))}. Waiting: ${several(seen.queue.map(job => this.named(job)))}. `
      + `${number(seen.free)} of ${processors(this.data.procs)} free.${promise}`;
    this.chart.replaceChildren(new Chart(this.data, seen, seen.time, this.width, high, seen.jobs, text).svg);
  }

  say() {
    const seen = this.states[this.place], { answer } = this;
    const told = answer ? this.states.slice(answer.from, this.place + 1) : [...this.event(), seen];
    this.sentence.replaceChildren(...answer ? [html("b", { class: "sw-verdict" }, answer.text), " "] : [],
      told.map(state => state.sentence).join(" "), html("br"),
      html("small", {}, `Rule: ${seen.rule}. Decision ${this.place + 1} of ${this.count}.`));
    const choice = (job, name) => button(name, `I think that ${name} starts next`, () => this.choose(job));
    const ask = this.open();
    this.asks.replaceChildren(...ask ? [html("b", {}, "Who starts next?"),
      ...seen.queue.filter((job, at) => at < ROWS || job === ask[0]).map(job => choice(job, `job ${this.named(job)}`)),
      choice(null, NOBODY)] : []);
    this.facts.replaceChildren(...this.tables(seen));
  }

  // An event at which Next does not stop is told with what follows from it.
  event() {
    for (let at = this.place - 1; at >= 0 && this.steps.has(this.place); at--) {
      if (this.steps.has(at) || this.states[at].time !== this.states[this.place].time) break;
      if (this.states[at].kind === "event") return [this.states[at]];
    }
    return [];
  }

  tables(seen) {
    const { jobs, procs } = this.data;
    const line = html("p", { class: "sw-facts" }, html("span", {}, html("b", {}, `Time ${number(seen.time)}`)), " ",
      html("span", {}, `${number(seen.free)} of ${processors(procs)} free`));
    if (seen.shadow != null) {
      const text = `shadow time ${number(seen.shadow)}, ${processors(seen.extra, "extra")}${seen.remembered ? " (so far)" : ""}`;
      line.append(" ", html("span", { class: seen.remembered && "sw-old" }, text));
    }
    const reserved = job => seen.bars[job] && seen.bars[job][2] & PLANNED ? [number(seen.bars[job][0])] : [""];
    const some = seen.queue.some(job => reserved(job)[0]);
    const waiting = seen.queue.map(job => [job, number(jobs.procs[job]), number(jobs.estimate[job]), ...some ? reserved(job) : []]);
    const running = seen.running.map(job => [job, number(jobs.procs[job]), number(seen.bars[job][1])]);
    return [line, this.table("Queue", ["job", "processors", "estimate [s]", ...some ? ["reserved [s]"] : []], waiting, seen.jobs),
      this.table("Running", ["job", "processors", "expected end [s]"], running, seen.jobs)];
  }

  table(name, columns, rows, decided) {
    if (!rows.length) return html("p", {}, html("b", {}, name), ": no job");
    const shown = rows.filter((cells, at) => at < ROWS || decided.includes(cells[0]));
    const body = shown.map(([job, ...cells]) => html("tr", { class: decided.includes(job) && "simlib-decided" },
      ...[this.named(job), ...cells].map(cell => html("td", {}, cell))));
    if (rows.length > shown.length) body.push(html("tr", {}, html("td", {}, `and ${rows.length - shown.length} more`)));
    return html("table", {}, html("caption", {}, `${name}: ${rows.length} job${rows.length > 1 ? "s" : ""}`),
      html("thead", {}, html("tr", {}, ...columns.map(column => html("th", { scope: "col" }, column)))), html("tbody", {}, ...body));
  }
}

if (!customElements.get("simlib-view")) customElements.define("simlib-view", class extends HTMLElement {
  connectedCallback() {
    this.stepper ??= new Stepper(JSON.parse(this.querySelector('script[type="application/json"]').textContent), this);
    for (const name of HEARD) addEventListener(name, this.stepper, true);
  }

  disconnectedCallback() {
    this.stepper.pause();
    for (const name of HEARD) removeEventListener(name, this.stepper, true);
  }
});
