// Steppers and comparisons without a kernel: see simlib/course/web/__init__.py for what they are fed with.
// Looks, words and keys are those of simlib.plots and simlib.course.widgets.
(() => {
"use strict";
if (customElements.get("simlib-stepper")) return; // another one on this page has brought all this

const INTERVAL = 1500; // ms from one step to the next when it plays
const ROWS = 12; // of the queue, and of the running jobs
const PLANNED = 1, BACKFILLED = 2; // of a bar's looks
const STARTS = ["start", "backfill"];

// Parts of pages

const builder = create => (tag, attributes = {}, ...children) => {
  const made = create(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made[name] = value;
    else if (value !== null && value !== false) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
};
const html = builder(tag => document.createElement(tag));
const svg = builder(tag => document.createElementNS("http://www.w3.org/2000/svg", tag));

// Words

const number = value => value.toLocaleString("en-US", { useGrouping: "min2" });
const two = value => String(value).padStart(2, "0");
const length = seconds => seconds < 3600 ? `${seconds} s` : Math.floor(seconds / 3600) + ":"
  + two(Math.floor(seconds % 3600 / 60)) + (seconds % 60 ? ":" + two(seconds % 60) : "") + " h";
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

let charts = 0;

class Chart {
  // A chart of a state, `width` pixels wide; `marks` are jobs to be framed, and what its text for readers is.
  constructor(data, state, now, width, height, marks) {
    Object.assign(this, { data, state, now, width, height });
    this.left = 46;
    this.right = width - 12;
    this.top = 38;
    this.bottom = height - 40;
    this.hatch = `sw-hatch-${++charts}`;
    this.svg = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": marks.text,
      "data-time": data.time, "data-box": [this.left, this.right, this.top, this.bottom] });
    this.svg.append(svg("title", {}, marks.text), svg("defs", {}, svg("pattern",
      { id: this.hatch, width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("path", { d: "M0 0V8", class: "sw-hatch" }))));
    this.axes();
    const jobs = Object.entries(state.bars).map(([job, bar]) => ({ job: +job, start: bar[0], end: bar[1],
      planned: !!(bar[2] & PLANNED), backfilled: !!(bar[2] & BACKFILLED), pieces: this.pieces(bar) }));
    if (state.shadow != null) this.extra(jobs);
    jobs.forEach(job => this.job(job));
    jobs.filter(job => marks.jobs.includes(job.job)).forEach(job => this.rectangles(job, job.start, job.end, "sw-frame"));
    jobs.forEach(job => this.name(job));
    this.line(now, `now ${number(now)}`, "sw-now", 16, "end");
    if (state.shadow != null) {
      const text = `shadow time ${number(state.shadow)}, ${state.extra ? number(state.extra) : "no"} extra`;
      this.line(state.shadow, text, "sw-shadow" + (state.remembered ? " sw-old" : ""), 32, "start");
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

  rectangles(job, from, until, looks, style = {}) {
    const x = this.x(from), width = this.x(until) - x;
    if (width <= 0) return [];
    const made = job.pieces.map(([low, count]) => svg("rect", { x, width, y: this.y(low + count),
      height: this.y(low) - this.y(low + count), class: looks, ...style }));
    this.svg.append(...made);
    return made;
  }

  // What has happened is in full colour, what is expected pale, a reservation dashed, who was backfilled hatched.
  job(job) {
    const { data, now } = this, { start, end } = job;
    const fill = data.colours[job.job % data.colours.length];
    const until = Math.min(Math.max(now, start), end);
    const made = this.rectangles(job, start, until, "sw-piece", { fill });
    const ahead = "sw-piece sw-expected" + (job.planned ? " sw-reserved" : "");
    made.push(...this.rectangles(job, until, end, ahead, { fill }));
    if (job.backfilled) made.push(...this.rectangles(job, start, end, "sw-lines", { fill: `url(#${this.hatch})` }));
    const what = job.planned ? "planned" : end > now ? "expected to end then" : "has run";
    const text = `${data.jobs.name[job.job]}: ${processors(data.jobs.procs[job.job])}, ${number(start)} to ${number(end)}, `
      + what + (job.backfilled ? ", backfilled" : "");
    this.svg.append(svg("g", { "data-job": data.jobs.name[job.job] }, svg("title", {}, text), ...made));
  }

  // A name stands in the highest piece, in its past or its expected part, where there is room for it.
  name(job) {
    if (!job.pieces.length) return;
    const { now } = this, text = this.data.jobs.name[job.job];
    const [low, count] = job.pieces.reduce((best, piece) => piece[1] > best[1] ? piece : best);
    const solid = job.start + job.end <= 2 * now;
    let [begin, end] = [job.start, job.end];
    if (begin < now && now < end) [begin, end] = solid ? [begin, now] : [now, end];
    const across = this.x(end) - this.x(begin), upward = this.y(low) - this.y(low + count);
    const needed = 8 * text.length, line = 14;
    const fits = across >= needed && upward >= line;
    if (!fits && !(across >= 1.4 * line && upward >= needed)) return;
    const x = (this.x(begin) + this.x(end)) / 2, y = this.y(low + count / 2);
    this.svg.append(svg("text", { x, y, class: "sw-name " + (solid ? "sw-solid" : "sw-faint"),
      transform: fits ? null : `rotate(-90 ${x} ${y})` }, text));
  }

  // The processors that nobody is expected to need at the shadow time are shaded beside the reservation.
  extra(jobs) {
    const { shadow } = this.state, { procs } = this.data;
    const there = jobs.filter(job => job.start <= shadow && job.end > shadow);
    const until = Math.max(shadow, ...there.filter(job => job.planned).map(job => job.end));
    const taken = there.flatMap(job => job.pieces).sort((a, b) => a[0] - b[0]);
    const free = [];
    let low = 0;
    for (const [first, count] of [...taken, [procs, 0]]) {
      if (first > low) free.push([low, first - low]);
      low = Math.max(low, first + count);
    }
    this.rectangles({ pieces: free }, shadow, until, "sw-extra");
  }

  // A line across the chart has its name above, on the side where there is room.
  line(time, text, looks, y, side) {
    const x = this.x(time), needed = 6.7 * text.length;
    const end = side === "end" ? x - this.left > needed - 40 : this.right - x < needed;
    this.svg.append(svg("g", { class: looks.includes("sw-old") ? "sw-old" : "" },
      svg("path", { class: looks.split(" ")[0], d: `M${x} ${y - 12}V${this.bottom}` }),
      svg("text", { x: x + (end ? -5 : 5), y, "text-anchor": end ? "end" : "start" }, text)));
  }
}

// What steppers and comparisons have in common: buttons, a slider, keys, and a clock

class Player extends HTMLElement {
  connectedCallback() {
    if (this.data || this.waiting) return;
    this.waiting = true; // what stands within may not have been read yet
    if (document.readyState !== "loading") setTimeout(() => this.begin());
    else document.addEventListener("DOMContentLoaded", () => this.begin(), { once: true });
  }

  disconnectedCallback() {
    if (this.clock) this.pause();
  }

  begin() {
    const script = this.querySelector('script[type="application/json"]');
    if (!script) return;
    this.data = JSON.parse(script.textContent);
    this.name = this.querySelector(".sw-head").textContent;
    this.details = this.querySelector("details");
    this.details.open = false;
    this.legend = html("p", { class: "sw-legend" }, this.dataset.legend);
    const attributes = { tabindex: 0, role: "group", "aria-label": this.name };
    for (const [name, value] of Object.entries(attributes)) this.setAttribute(name, value);
    this.place = 0;
    this.build();
    this.shield({});
    this.addEventListener("keydown", event => this.key(event));
    this.addEventListener("keyup", event => this.shield(event));
    new ResizeObserver(([entry]) => this.fit(Math.round(entry.contentRect.width))).observe(this.chart);
    this.onPrint();
    this.go(this.first());
  }

  // The slider, and the buttons beside it by their names: what each does, and what it says of itself.
  controls(what, buttons) {
    this.buttons = {};
    for (const [name, [title, action]] of Object.entries(buttons)) {
      this.buttons[name] = html("button", { type: "button", title, onclick: action }, name);
    }
    this.slider = html("input", { type: "range", min: 1, max: this.count, "aria-label": what, title: what,
      oninput: () => { this.pause(); this.go(this.slider.value - 1); } });
    return html("div", { class: "sw-controls" }, ...Object.values(this.buttons), this.slider);
  }

  fit(width) {
    if (width > 0 && width !== this.width) {
      this.width = width;
      this.draw();
    }
  }

  go(place) {
    this.place = Math.min(Math.max(place, 0), this.count - 1);
    this.slider.value = this.place + 1;
    this.slider.setAttribute("aria-valuetext", this.where());
    if (this.width) this.draw();
    this.tell();
  }

  next() {
    this.go(this.place + 1);
  }

  back() {
    this.go(this.place - 1);
  }

  playOrPause() {
    if (this.clock) return this.pause();
    if (this.place === this.count - 1) this.go(0);
    this.clock = setInterval(() => {
      this.next();
      if (this.place === this.count - 1) this.pause();
    }, INTERVAL);
    this.buttons.Play.textContent = "Pause";
  }

  pause() {
    clearInterval(this.clock);
    this.clock = null;
    this.buttons.Play.textContent = "Play";
  }

  // JupyterLab takes the arrows otherwise; what is pressed with Control, such as to save, it is to have.
  shield(event) {
    this.toggleAttribute("data-lm-suppress-shortcuts", !event.ctrlKey && !event.metaKey);
  }

  // The slider has keys of its own, and a button is pressed by the space bar.
  key(event) {
    const { target, key } = event;
    this.shield(event);
    const does = { ArrowRight: () => this.next(), ArrowLeft: () => this.back(), Home: () => this.go(0),
      End: () => this.go(this.count - 1), " ": () => this.playOrPause() }[key];
    const its = target === this.slider ? key !== " " : target !== this && key === " ";
    if (!does || its || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (key !== " ") this.pause();
    does();
  }

  // On paper stand the whole schedule and all sentences.
  onPrint() {
    let was;
    addEventListener("beforeprint", () => {
      was = [this.place, this.details.open];
      this.details.open = true;
      this.go(this.count - 1);
    });
    addEventListener("afterprint", () => {
      this.details.open = was[1];
      this.go(was[0]);
    });
  }
}

class Stepper extends Player {
  build() {
    this.states = unfolded(this.data.frames);
    this.count = this.states.length;
    const controls = this.controls("Decision", {
      First: ["To the first decision", () => this.jump(0)],
      Back: ["One decision back", () => this.jump(this.place - 1)],
      Play: ["Play on by itself, or pause", () => this.playOrPause()],
      Next: ["To the next decision", () => { this.pause(); this.next(); }],
      "Next start": ["To the next start of a job", () => { this.pause(); this.nextStart(); }],
      Last: ["To the last decision", () => this.jump(this.count - 1)],
      Predict: ["Say who starts next before it is shown", () => this.predict(!this.predicting)],
    });
    this.chart = html("div", { class: "sw-chart" });
    this.sentence = html("p", { class: "sw-sentence", role: "status", "aria-live": "polite", "aria-atomic": true });
    this.ask = html("div", { class: "sw-ask", role: "group", "aria-label": "Who starts next?" });
    this.state = html("div", { class: "sw-state" });
    this.score = html("span", { class: "sw-score" });
    controls.insertBefore(this.score, this.slider);
    const left = html("div", { class: "sw-left" }, this.chart, this.legend, this.sentence, this.ask);
    this.querySelector(".sw-head").after(controls, html("div", { class: "sw-body" }, left, this.state));
    this.predict(this.hasAttribute("data-predict"));
  }

  first() {
    return 0;
  }

  jump(place) {
    this.pause();
    this.go(place);
  }

  go(place) {
    this.asked = null;
    super.go(place);
  }

  where() {
    return `${this.place + 1} of ${this.count}, second ${number(this.states[this.place].time)}`;
  }

  named(jobs) {
    return jobs.map(job => this.data.jobs.name[job]);
  }

  // Steps, with a question before a start

  next() {
    this.step(this.place + 1);
  }

  nextStart() {
    const later = this.states.findIndex((state, at) => at > this.place && STARTS.includes(state.kind));
    this.step(later < 0 ? this.count - 1 : later);
  }

  predict(on) {
    this.predicting = on;
    this.answers = {}; // whether the answer was right, by place of the start
    this.buttons.Predict.setAttribute("aria-pressed", on);
    this.asked = null;
    this.keepScore();
    if (this.ask.childElementCount) this.tell();
  }

  step(place) {
    const state = this.states[place];
    const open = this.predicting && state && STARTS.includes(state.kind) && !(place in this.answers);
    if (!open || this.asked === place || this.states[place - 1].queue.length < 2) return this.go(place);
    this.pause();
    if (this.place !== place - 1) this.go(place - 1);
    this.asked = place;
    this.tell();
  }

  answer(job) {
    const place = this.asked, [starts] = this.states[place].jobs;
    this.answers[place] = job === starts;
    this.keepScore();
    this.go(place);
    const [said, is] = this.named([job, starts]);
    const same = this.states.some(later => later.time === this.states[place].time && STARTS.includes(later.kind) && later.jobs.includes(job));
    const verdict = job === starts ? "Right." : `No, ${is} does, not ${said}${same ? ", which starts after it at the same second" : ""}.`;
    this.sentence.prepend(html("b", {}, verdict), " ");
    this.buttons.Next.focus({ preventScroll: true });
  }

  keepScore() {
    const all = Object.values(this.answers), right = all.filter(Boolean).length;
    this.score.textContent = all.length ? `${right} of ${all.length} right` : "";
  }

  // What is seen

  draw() {
    const seen = this.states[this.place], high = Math.min(Math.max(this.width * 0.42, 260), 420);
    const marks = { jobs: seen.jobs, text: this.told(seen) };
    this.chart.replaceChildren(new Chart(this.data, seen, seen.time, this.width, high, marks).svg);
  }

  // The chart in words
  told(seen) {
    const promise = seen.shadow == null ? "" : ` Shadow time ${number(seen.shadow)}, ${processors(seen.extra, "extra")}.`;
    return `Gantt chart of ${this.data.workload} under ${this.data.policy} at second ${number(seen.time)}. `
      + `Running: ${several(this.named(seen.running))}. Waiting: ${several(this.named(seen.queue))}. `
      + `${number(seen.free)} of ${processors(this.data.procs)} free.${promise}`;
  }

  tell() {
    const seen = this.states[this.place];
    const rule = html("small", {}, `Rule: ${seen.rule}. Decision ${this.place + 1} of ${this.count}.`);
    this.sentence.replaceChildren(seen.sentence, html("br"), ...(this.asked === null ? [rule] : [html("b", {}, "Who starts next?")]));
    this.ask.hidden = this.asked === null;
    this.ask.replaceChildren(...(this.asked === null ? [] : this.choices(seen)));
    this.state.replaceChildren(...this.facts(seen));
  }

  choices(seen) {
    const [starts] = this.states[this.asked].jobs;
    return seen.queue.filter((job, at) => at < ROWS || job === starts).map(job =>
      html("button", { type: "button", title: `Job ${this.data.jobs.name[job]} starts next`, onclick: () => this.answer(job) }, this.data.jobs.name[job]));
  }

  facts(seen) {
    const { jobs, procs } = this.data;
    const line = html("p", { class: "sw-facts" }, html("span", {}, html("b", {}, `Time ${number(seen.time)}`)), " ",
      html("span", {}, `${number(seen.free)} of ${processors(procs)} free`));
    if (seen.shadow != null) {
      const text = `shadow time ${number(seen.shadow)}, ${processors(seen.extra, "extra")}${seen.remembered ? " (so far)" : ""}`;
      line.append(" ", html("span", { class: seen.remembered ? "sw-old" : "" }, text));
    }
    const reserved = job => seen.bars[job] && seen.bars[job][2] & PLANNED ? [number(seen.bars[job][0])] : [""];
    const some = seen.queue.some(job => reserved(job)[0]);
    const waiting = seen.queue.map(job => [job, number(jobs.procs[job]), length(jobs.estimate[job]), ...(some ? reserved(job) : [])]);
    const running = seen.running.map(job => [job, number(jobs.procs[job]), number(seen.bars[job][1])]);
    return [line, this.table("Queue", ["job", "processors", "estimate", ...(some ? ["reserved"] : [])], waiting, seen.jobs),
      this.table("Running", ["job", "processors", "until, expected"], running, seen.jobs)];
  }

  table(name, columns, rows, decided) {
    if (!rows.length) return html("p", {}, html("b", {}, name), ": no job");
    const shown = rows.filter((cells, at) => at < ROWS || decided.includes(cells[0]));
    const body = shown.map(([job, ...cells]) => html("tr", { class: decided.includes(job) ? "simlib-decided" : null },
      ...[this.data.jobs.name[job], ...cells].map(cell => html("td", {}, cell))));
    if (rows.length > shown.length) body.push(html("tr", {}, html("td", {}, `and ${rows.length - shown.length} more`)));
    return html("table", {}, html("caption", {}, `${name}: ${rows.length} job${rows.length > 1 ? "s" : ""}`),
      html("thead", {}, html("tr", {}, ...columns.map(column => html("th", { scope: "col" }, column)))), html("tbody", {}, ...body));
  }
}

class Compare extends Player {
  build() {
    this.plans = this.data.plans.map(plan => ({ ...plan, states: unfolded(plan.frames) }));
    this.count = this.data.times.length;
    const to = place => () => { this.pause(); this.go(place()); };
    const controls = this.controls("Time", {
      First: ["To the first event", to(() => 0)],
      Back: ["To the event before", to(() => this.place - 1)],
      Play: ["Play on by itself, or pause", () => this.playOrPause()],
      Next: ["To the next event", to(() => this.place + 1)],
      Last: ["To the last event", to(() => this.count - 1)],
    });
    this.chart = html("div", { class: "sw-chart" });
    this.status = html("p", { class: "sw-facts", role: "status", "aria-live": "polite" });
    this.querySelector(".sw-head").after(controls, this.status, this.chart, this.legend);
  }

  // The whole schedules are seen first.
  first() {
    return this.count - 1;
  }

  where() {
    return `second ${number(this.data.times[this.place])}`;
  }

  draw() {
    const now = this.data.times[this.place];
    this.chart.replaceChildren(...this.plans.flatMap(plan => {
      const seen = plan.states[this.place], text = this.told(plan, seen, now);
      const drawn = new Chart(this.data, seen, now, this.width, 250, { jobs: [], text });
      return [html("p", { class: "sw-title" }, html("b", {}, plan.policy), `: mean wait ${plan.wait} in the end`), drawn.svg];
    }));
  }

  // The chart in words
  told(plan, seen, now) {
    const bars = Object.entries(seen.bars);
    const names = of => several(bars.filter(([, bar]) => of(bar)).map(([job]) => this.data.jobs.name[job]));
    return `Gantt chart of ${this.data.workload} under ${plan.policy} at second ${number(now)}. `
      + `Running: ${names(bar => bar[0] <= now && bar[1] > now)}. Waiting: ${names(bar => bar[2] & PLANNED)}.`;
  }

  tell() {
    const now = this.data.times[this.place];
    const running = this.plans.map(plan => {
      const bars = Object.values(plan.states[this.place].bars);
      return `${plan.policy}: ${bars.filter(bar => bar[0] <= now && bar[1] > now).length} running, ${bars.filter(bar => bar[2] & PLANNED).length} waiting`;
    });
    this.status.replaceChildren(html("span", {}, html("b", {}, `Time ${number(now)}`)), " ", ...running.flatMap(text => [html("span", {}, text), " "]));
  }
}

customElements.define("simlib-stepper", Stepper);
customElements.define("simlib-compare", Compare);
})();
