// What a kernel is needed for, in JupyterLab alone: jobs that are edited, and a workload that is varied. Read after
// stepper.js. What is typed and moved goes to Python as a message; what Python makes of it comes back as data.

const cells = (tag, texts) => texts.map(text => html(tag, {}, text));

kinds.editor = class Editor extends View {
  build() {
    this.body = html("tbody");
    this.message = html("p", { class: "sw-message", role: "status" });
    this.check = button("Check", "Tell whether this table answers the exercise", () => this.tell({ do: "check" }));
    this.metrics = html("div", { class: "sw-wide sw-metrics" });
    this.update(this.data);
    const head = html("thead", {}, html("tr", {}, ...cells("th", ["job", ...this.data.fields, "start [s]", "wait [s]", ""])));
    return [html("div", { class: "sw-wide" }, html("table", { class: "sw-jobs" }, head, this.body)),
      html("div", { class: "sw-controls" },
        button("Add a job", "Add a job like the last one", () => this.tell({ do: "add" })),
        button("Start again", "Bring back the jobs that were there at first", () => this.tell({ do: "reset" })), this.check),
      this.message, this.chart, legend([this.data]), this.metrics];
  }

  // Fields stay where they are while their jobs stay, so that nothing that is being typed is lost.
  update(data) {
    this.data = data;
    const names = data.rows.map(row => row.job);
    if (names.join("\n") !== this.names) {
      this.names = names.join("\n");
      this.body.replaceChildren(...names.map((name, at) => this.row(name, at)));
    }
    data.rows.forEach((row, at) => {
      const fields = this.inputs(at), shown = this.body.rows[at].querySelectorAll(".sw-result");
      row.typed.forEach((text, field) => {
        if (fields[field] !== document.activeElement) fields[field].value = text;
        fields[field].setAttribute("aria-invalid", row.invalid.includes(field));
      });
      [row.start, row.wait].forEach((text, column) => { shown[column].textContent = text; });
    });
    this.check.hidden = !data.asked;
    this.check.disabled = data.invalid;
    this.message.replaceChildren(...data.message.flatMap(text => [text, html("br")]));
    this.metrics.innerHTML = data.metrics;
    if (this.width) this.draw();
  }

  row(job, at) {
    const fields = this.data.fields.map(name => html("td", {}, html("input", { title: `${name} of job ${job}`, inputmode: "numeric",
      autocomplete: "off", onchange: () => this.typed(), onkeydown: event => event.key === "Enter" && this.typed() })));
    const remove = button(`Delete ${job}`, `Take job ${job} out`, () => this.tell({ do: "delete", row: at }));
    return html("tr", {}, html("td", {}, job), ...fields, ...["", ""].map(() => html("td", { class: "sw-result" })), html("td", {}, remove));
  }

  inputs(at) {
    return [...this.body.rows[at].querySelectorAll("input")];
  }

  typed() {
    const rows = this.data.rows.map((_, at) => this.inputs(at).map(input => input.value));
    const changed = this.data.rows.some((row, at) => row.typed.some((text, field) => text !== rows[at][field]));
    if (changed) this.tell({ do: "type", rows });
  }

  draw() {
    const text = `Gantt chart of ${this.data.workload} under ${this.data.policy}`;
    this.chart.replaceChildren(new Chart(this.data, this.data, Infinity, this.width, 240, [], text).svg);
  }
};

kinds.explore = class Explore extends View {
  build() {
    this.note = html("p", { class: "sw-note", role: "status" });
    this.metrics = html("div", { class: "sw-wide sw-metrics" });
    this.wanted = { ...this.data.places };
    this.update(this.data);
    const hollow = html("p", { class: "sw-legend" }, html("i", { class: "sw-before sw-key" }), " hollow: before the last change");
    return [html("div", { class: "sw-controls" }, ...Object.entries(this.data.choices).map(choice => this.choose(...choice))),
      this.note, this.chart, hollow, this.metrics];
  }

  choose(name, texts) {
    const output = html("output", {}, texts[this.wanted[name]]);
    const moved = () => {
      output.textContent = texts[input.value];
      input.setAttribute("aria-valuetext", texts[input.value]);
      this.wanted[name] = +input.value;
      this.send();
    };
    const input = html("input", { type: "range", min: 0, max: texts.length - 1, value: this.wanted[name], "aria-label": name,
      "aria-valuetext": texts[this.wanted[name]], oninput: moved });
    return html("label", { class: "sw-choice" }, name, input, output);
  }

  // While Python simulates one move, further ones wait, and of those only the last is sent.
  send() {
    if (this.busy) return;
    this.busy = true;
    this.tell({ do: "move", places: { ...this.wanted } });
  }

  update(data) {
    this.data = data;
    this.busy = false;
    if (Object.keys(this.wanted).some(name => this.wanted[name] !== data.places[name])) this.send();
    this.note.replaceChildren(data.note, ...data.mark ? [" ", html("b", { class: "sw-mark" }, data.mark)] : []);
    this.metrics.innerHTML = data.metrics;
    this.chart.replaceChildren(html("div", { class: "sw-bars" }, ...data.bars.map(bars => this.bars(bars))));
  }

  // A bar for each policy; one that is far longer than the others is cut off.
  bars({ title, rows }) {
    const sorted = rows.map(row => row.value).sort((a, b) => a - b);
    const most = Math.min(Math.max(...rows.flatMap(row => [row.value, row.before])), 3 * sorted[rows.length >> 1]) || 1;
    const width = value => `width: ${Math.min(value / most, 1) * 100}%`;
    return html("div", {}, html("b", {}, title), ...rows.map(row => html("div", { class: "sw-bar" }, html("span", {}, row.policy),
      html("div", { class: "sw-track" }, html("div", { style: `${width(row.value)}; background: ${row.colour}` }),
        html("div", { class: "sw-before", style: width(row.before) })),
      html("span", {}, row.value > most ? `${row.text} >>` : row.text))));
  }
};
