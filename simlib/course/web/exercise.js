// Exercises without a kernel. What the checks of simlib.course.lessons say has been worked out beforehand, see
// simlib/course/web/exercises.py: here answers are read and looked up, and slots in sentences are filled.
(() => {
"use strict";
const OUTSIDE = -1; // what has not been worked out
class Outside extends Error {}
class Unreadable extends Error {}
class Wrong extends Error {} // what Python would raise: the place of its sentence, and the values of its slots

// Numbers and texts, read and written as Python does

function typed(text) {
  text = text.trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : text;
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

// Expressions in Python's spelling

const TOKENS = /\s*(?:(\d+)(?![\w.])|([A-Za-z_]\w*)|(<=|>=|==|!=|[-+*<>()[\].&|~])|("[^"]*"|'[^']*'))/y;

function parsed(text) {
  const tokens = [];
  text = text.trim().replace(/^return\b/, "").trimEnd();
  for (TOKENS.lastIndex = 0; TOKENS.lastIndex < text.length;) {
    const found = TOKENS.exec(text);
    if (!found) throw new Unreadable();
    const [, whole, name, sign, quoted] = found;
    if (whole && whole.length > 15) throw new Outside();
    if (whole && /^0+[1-9]/.test(whole)) throw new Unreadable();
    tokens.push(whole ? { value: Number(whole) } : name ? { name } : quoted ? { quoted: quoted.slice(1, -1) } : { sign });
  }
  let at = 0;
  const is = sign => at < tokens.length && (tokens[at].sign === sign || tokens[at].name === sign);
  const takes = (...signs) => { const found = signs.find(is); if (found) at++; return found; };
  const demand = sign => { if (!takes(sign)) throw new Unreadable(); };
  const chain = (below, ...signs) => () => {
    let left = below();
    for (let sign; (sign = takes(...signs));) left = { sign, left, right: below() };
    return left;
  };
  const negation = () => takes("not") ? { sign: "not", of: negation() } : comparison();
  const any = chain(chain(negation, "and"), "or");
  const unary = () => { const sign = takes("-", "+", "~"); return sign ? { sign: "1" + sign, of: unary() } : behind(); };
  const sums = chain(chain(unary, "*"), "+", "-");
  const bits = chain(chain(sums, "&"), "|");
  function comparison() {
    const first = bits(), rest = [];
    for (let sign; (sign = takes("<=", ">=", "==", "!=", "<", ">"));) rest.push([sign, bits()]);
    return rest.length ? { sign: "compare", first, rest } : first;
  }
  function behind() {
    let of = atom();
    for (let sign; (sign = takes(".", "["));) {
      const token = tokens[at++] || {};
      const column = sign === "." ? token.name : token.quoted;
      if (column === undefined) throw sign === "[" ? new Outside() : new Unreadable();
      if (sign === "[") demand("]");
      if (sign === "." && takes("(")) {
        if (!takes(")")) throw new Outside();
        of = { sign: "call", of, method: column };
      } else of = { sign: "column", of, column };
    }
    return of;
  }
  function atom() {
    const token = tokens[at++];
    if (!token) throw new Unreadable();
    if (token.value !== undefined) return token;
    if (token.sign === "(") { const inside = any(); demand(")"); return inside; }
    if (!token.name || ["and", "or", "not"].includes(token.name)) throw new Unreadable();
    if (["if", "else", "in", "is", "lambda", "for", "def", "None", "return"].includes(token.name)) throw new Outside();
    if (token.name === "True" || token.name === "False") return { value: token.name === "True" };
    if (takes("(")) {
      if (token.name !== "sum") throw new Outside();
      const of = any();
      demand(")");
      return { sign: "call", of, method: "sum" };
    }
    return token;
  }
  const whole = any();
  if (at < tokens.length) throw tokens[at].name === "if" ? new Outside() : new Unreadable();
  return whole;
}

const ARITHMETIC = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b };
const COMPARE = { "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b,
  "==": (a, b) => Number(a) === Number(b), "!=": (a, b) => Number(a) !== Number(b) };
const BITS = { "&": (a, b) => a && b, "|": (a, b) => a || b };
const truths = value => Array.isArray(value) ? value.every(one => typeof one === "boolean") : typeof value === "boolean";
const isTable = value => typeof value === "object" && !Array.isArray(value);

// Columns are calculated row by row.
function rows(left, right, how) {
  if (isTable(left) || isTable(right)) throw new Outside();
  const long = Array.isArray(left) ? left.length : Array.isArray(right) ? right.length : 0;
  const exact = value => { if (Math.abs(value) > 1e15) throw new Outside(); return value; };
  if (!long) return exact(how(left, right));
  const one = (value, row) => Array.isArray(value) ? value[row] : value;
  return Array.from({ length: long }, (_, row) => exact(how(one(left, row), one(right, row))));
}

function evaluated(tree, names, data) {
  const go = part => evaluated(part, names, data);
  const truth = value => {
    if (typeof value !== "object") return Boolean(value);
    if (isTable(value)) throw new Outside();
    throw new Wrong(data.ambiguous);
  };
  if (tree.name) {
    if (!Object.hasOwn(names, tree.name)) throw Object.assign(new Wrong(data.unknown), { values: { name: tree.name } });
    return names[tree.name];
  }
  switch (tree.sign) {
    case undefined: return tree.value;
    case "or": { const left = go(tree.left); return truth(left) ? left : go(tree.right); }
    case "and": { const left = go(tree.left); return truth(left) ? go(tree.right) : left; }
    case "not": return !truth(go(tree.of));
    case "compare": {
      let left = go(tree.first), result = true;
      tree.rest.forEach(([sign, part], place) => {
        if (result === false) return;
        const right = go(part);
        if (place) truth(result);
        result = rows(left, right, COMPARE[sign]);
        left = right;
      });
      return result;
    }
    case "&": case "|": {
      const left = go(tree.left), right = go(tree.right);
      if (!truths(left) || !truths(right)) throw new Outside();
      return rows(left, right, BITS[tree.sign]);
    }
    case "1~": { const of = go(tree.of); if (!Array.isArray(of) || !truths(of)) throw new Outside(); return of.map(one => !one); }
    case "1-": case "1+": case "+": case "-": case "*": {
      const unary = tree.sign.length > 1, left = unary ? 0 : go(tree.left), right = go(unary ? tree.of : tree.right);
      if ([left, right].some(value => Array.isArray(value) && truths(value))) throw new Outside();
      return rows(left, right, ARITHMETIC[tree.sign.slice(-1)]);
    }
    case "column": {
      const of = go(tree.of);
      if (!isTable(of) || !Object.hasOwn(of, tree.column)) throw new Outside();
      return of[tree.column];
    }
    default: { // a call
      const of = go(tree.of);
      if (tree.method !== "sum" || !Array.isArray(of)) throw new Outside();
      return of.reduce((sum, one) => sum + Number(one), 0);
    }
  }
}

// Each kind of answer: of what stands in the fields it gives the place of a sentence, and what its slots are filled with.

const within = (ranges, value) => ranges.find(([last]) => value <= last)[1];

function numbers(data, given) {
  const columns = Object.entries(data.ranges).map(([name, ranges]) =>
    typeof given[name] === "number" && Number.isFinite(given[name]) ? within(ranges, given[name]) : 0);
  const point = data.points && data.points[String(Object.values(given)[0])];
  return [point ?? data.table[columns.join()], given];
}

const KINDS = {
  numbers: (data, texts) => numbers(data, Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, typed(text)]))),

  choices: (data, texts) => [data.table[Object.values(texts).join()], {}],

  order(data, texts) {
    const given = texts.order.split(/[\s,;"'[\]()]+/).filter(Boolean);
    const unknown = given.find(name => !data.jobs.includes(name));
    if (unknown) return [data.unknown, { unknown }];
    const missing = data.jobs.filter(job => !given.includes(job));
    if (missing.length || given.length > data.jobs.length) return [data.missing[missing.join(" ")], {}];
    return [data.orders[given.join(" ")], {}];
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
    if (!line) return [OUTSIDE, {}];
    return [within(line, values[data.along]), { line: values[data.along] }];
  },

  rule(data, texts) {
    const tree = parsed(texts.rule), names = Object.keys(data.values);
    let cases = [[]];
    for (const values of Object.values(data.values)) cases = cases.flatMap(some => values.map(value => [...some, value]));
    for (let place = 0; place < cases.length; place++) {
      if (data.expected[place] === "-") continue;
      const here = Object.fromEntries(names.map((name, at) => [name, cases[place][at]]));
      const returned = evaluated(tree, here, data);
      if (typeof returned !== "boolean") return [data.returned, { ...here, returned }];
      if (returned !== (data.expected[place] === "y")) return [data.differs[returned ? "y" : "n"], here];
    }
    return [data.right, {}];
  },

  count(data, texts) {
    const tree = parsed(texts.count);
    for (const table of data.tables) {
      const returned = evaluated(tree, { jobs: table.columns }, data);
      if (typeof returned === "object") return [table.many, {}];
      const found = numbers(table, { returned });
      if (found[0] !== data.right) return found;
    }
    return [data.right, {}];
  },
};

function verdict(data, texts) {
  const open = text => /^\s*(\.\.\.)?\s*$/.test(text);
  if (data.kind !== "table" && Object.values(texts).some(open)) return ["waiting", data.waiting];
  try {
    const [place, values] = KINDS[data.kind](data, texts);
    if (place === OUTSIDE) throw new Outside();
    const [status, sentence] = data.said[place];
    return [status, filled(sentence, values)];
  } catch (error) {
    if (error instanceof Wrong) return [data.said[error.message][0], filled(data.said[error.message][1], error.values || {})];
    if (error instanceof Unreadable) return ["not yet", data.own.unreadable];
    if (error instanceof Outside) return ["outside", data.own.outside];
    throw error;
  }
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
