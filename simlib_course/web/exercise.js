// Exercises without a kernel. What the checks of simlib_course.lessons say has been worked out beforehand, see
// simlib_course/web/exercises.py: here answers are read and looked up, and slots in sentences are filled.
(() => {
"use strict";
const OUTSIDE = ["outside", "this page does not know what the check says of that answer. The lesson in JupyterLab checks it."];

// Numbers and texts, read and written as Python does

function typed(text) {
  text = text.trim();
  const plain = text.replace(",", ".").replace(/\s*%$/, "");
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain)) return text;
  return text.endsWith("%") ? Number(plain) / 100 : Number(plain);
}

function repr(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") {
    if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
    const size = Math.abs(value);
    if (Number.isInteger(value) && size < 1e15) return String(value || 0);
    if (size >= 1e16 || size < 1e-4) return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
    return String(value) + (Number.isInteger(value) ? ".0" : "");
  }
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const safe = quote + value.replace(/\\/g, "\\\\").replaceAll(quote === "'" ? "'" : "\0", "\\'") + quote;
  const text = [...safe.split(/\s+/).join(" ")];
  return text.length <= 60 ? text.join("") : text.slice(0, 57).join("") + "...";
}

function general(value) {
  const [digits, power] = value.toExponential(5).split("e");
  if (power < -4 || power >= 6) return digits.replace(/\.?0+$/, "") + "e" + power.replace(/^([+-])(\d)$/, "$10$2");
  return String(Number(value.toPrecision(6))).replace(/^-0$/, "0").replace(/^(-?\d)e-5$/, "$1e-05");
}

const filled = (sentence, values) => sentence.replace(/⟦([^⟧]*?)(?: (g|t|[+-][\d.]+))?⟧/g, (_, name, how) => {
  const value = values[name];
  return how === "g" ? general(value) : how === "t" ? value : repr(how ? value + Number(how) : value);
});

// Each kind of answer: of what stands in the fields it gives the place of a sentence, and what its slots are filled with.

const within = (ranges, value) => ranges.find(([last]) => value <= last)[1];

function numbers(data, given) {
  const columns = Object.entries(data.ranges).map(([name, ranges]) =>
    typeof given[name] === "number" && Number.isFinite(given[name]) ? within(ranges, given[name]) : 0);
  return [data.table[columns.join()], given];
}

const KINDS = {
  numbers: (data, texts) => numbers(data, Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, typed(text)]))),

  choices: (data, texts) => [data.table[Object.values(texts).join("|")], {}],

  order(data, texts) {
    const given = texts.order.split(/[\s,;"'[\]()]+/).filter(Boolean);
    const meant = given.map(name => data.jobs.find(job => job.toLowerCase() === name.toLowerCase()));
    if (meant.includes(undefined)) return [data.unknown, { unknown: given[meant.indexOf(undefined)] }];
    const missing = data.jobs.filter(job => !meant.includes(job));
    if (missing.length || meant.length > data.jobs.length) return [data.missing[missing.join(" ")], {}];
    return [data.orders[meant.join(" ")], {}];
  },

  table(data, texts) {
    const values = {};
    for (const [name, [least, most]] of Object.entries(data.limits)) {
      const whole = /^\s*[+-]?\d+(_\d+)*\s*$/.test(texts[name]) ? Number(texts[name].replaceAll("_", "")) : NaN;
      if (!(least <= whole && whole <= most)) return [data.wrong[name], { [name]: texts[name] }];
      values[name] = whole;
    }
    if (data.same && values[data.same[0][0]] !== values[data.same[0][1]]) return [data.same[1], values];
    const line = data.lines[data.others.map(name => values[name]).join()];
    return line ? [within(line, values[data.along]), { line: values[data.along] }] : [];
  },
};

function verdict(data, texts) {
  const open = text => /^\s*(\.\.\.)?\s*$/.test(text);
  if (data.kind !== "table" && Object.values(texts).some(open)) return ["waiting", data.waiting];
  const [place, values] = KINDS[data.kind](data, texts);
  if (place === undefined) return OUTSIDE;
  const [status, sentence] = data.said[place];
  return [status, filled(sentence, values)];
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

if (typeof customElements === "undefined") { // node, which tests this
  module.exports = { verdict, unpacked };
  return;
}
if (customElements.get("simlib-exercise")) return;

const HEADS = { right: "Right: ", "not yet": "Not yet: ", waiting: "", outside: "" };

customElements.define("simlib-exercise", class extends HTMLElement {
  connectedCallback() {
    if (this.form) return;
    if (document.readyState !== "loading") setTimeout(() => this.begin());
    else document.addEventListener("DOMContentLoaded", () => this.begin(), { once: true });
  }

  begin() {
    this.form = this.querySelector("form");
    this.said = this.querySelector("[role=status]");
    this.key = "simlib-exercise-" + this.dataset.number;
    this.fields = [...this.form.querySelectorAll("[name]")];
    this.recall();
    this.form.addEventListener("submit", event => { event.preventDefault(); this.check(); });
    this.form.addEventListener("input", () => { this.keep(); this.say("", ""); });
    this.form.querySelector("button").disabled = false;
  }

  texts() {
    return Object.fromEntries(this.fields.map(field => [field.name, field.value]));
  }

  async check() {
    try {
      this.data ??= await unpacked(this.querySelector("script").textContent);
      this.say(...verdict(this.data, this.texts()));
    } catch (error) {
      this.say("outside", "This browser cannot check answers; a newer one can.");
      throw error;
    }
  }

  say(status, sentence) {
    this.said.dataset.status = status;
    const head = document.createElement("b");
    head.textContent = HEADS[status] ?? "";
    this.said.replaceChildren(head, sentence);
  }

  // What was typed is there again when the page is. A browser may refuse to keep it.
  keep() {
    try { localStorage.setItem(this.key, JSON.stringify(this.texts())); } catch { /* then not */ }
  }

  recall() {
    try {
      const kept = JSON.parse(localStorage.getItem(this.key)) || {};
      for (const field of this.fields) if (typeof kept[field.name] === "string") field.value = kept[field.name];
    } catch { /* nothing was kept */ }
  }
});
})();
