// Exercises without a kernel. What the checks of simlib_course.lessons say stands in a table, see
// simlib_course/web/exercises.py: here what was typed is read as simlib_course/answers.py does, and looked up.
(() => {
"use strict";
const OUTSIDE = ["outside", "this page does not know what the check says of that answer. The lesson in JupyterLab checks it."];
const NUMBER = ["not yet", "expected a number, such as 30."];

function number(text) {
  const figure = "(\\d+[.,]?\\d*|[.,]\\d+)", units = "s|secs?|seconds?|processors?|jobs?";
  const typed = new RegExp(`^\\s*([+-]?${figure})\\s*(?:(%)|/\\s*${figure}|(?:${units}))?\\s*$`).exec(text);
  if (!typed) return NaN;
  const [above, below] = [typed[1], typed[4] ?? "1"].map(part => Number(part.replace(",", ".")));
  return above / below / (typed[3] ? 100 : 1);
}

function jobs(text, known) {
  const fold = word => known.find(job => job.toLowerCase() === word.toLowerCase());
  const words = (text.match(/[\p{L}\p{N}_]+/gu) ?? []).filter(word => fold(word) || !["job", "jobs", "and", "then"].includes(word));
  return (words.length === 1 && [...words[0]].every(fold) ? [...words[0]] : words).map(fold);
}

// The place of what was typed among the values of a field, or what is wrong with it.
const PLACE = {
  choice: (values, text) => values.indexOf(text),

  whole(values, text) {
    const typed = number(text), last = values.length - 1;
    if (Number.isNaN(typed)) return NUMBER;
    if (typed < values[0] || typed > values[last]) return typed < 0 ? 0 : last;
    return Number.isInteger(typed) ? values.indexOf(typed) : OUTSIDE;
  },

  steps(values, text) {
    const typed = number(text);
    return Number.isNaN(typed) ? NUMBER : Math.max(values.findLastIndex(value => value <= typed + 1e-9), 0);
  },

  order(values, text) {
    const known = values[values.length - 1].split(" ").slice(0, -1), given = jobs(text, known);
    if (!given.length || given.includes(undefined)) return ["not yet", `the jobs are ${known.join(", ")}.`];
    const place = values.indexOf(given.join(" "));
    return place < 0 ? values.length - 1 : place;
  },
};

function verdict(data, texts) {
  if (Object.values(texts).some(text => /^\s*(\.\.\.)?\s*$/.test(text))) return ["waiting", data.waiting];
  let row = 0;
  for (const { name, kind, values } of data.fields) {
    const place = PLACE[kind](values, texts[name]);
    if (typeof place !== "number") return place;
    row = row * values.length + place;
  }
  return data.said[data.rows[row]];
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
