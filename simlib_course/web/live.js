// What a kernel is needed for, in JupyterLab alone: jobs that are edited. Read after stepper.js. What is typed and pressed
// goes to Python as a message; what Python makes of it comes back as data.

const cells = (tag, texts) => texts.map(text => html(tag, {}, text));

class Editor {
  constructor(data, root, tell) {
    Object.assign(this, { data, tell });
    this.chart = html("div", { class: "sw-chart" });
    this.body = html("tbody");
    this.message = html("p", { class: "sw-message", role: "status" });
    this.check = button("Check", "Tell whether this table answers the exercise", () => this.tell({ do: "check" }));
    this.metrics = html("p", { class: "sw-metrics" });
    this.update(data);
    const head = html("thead", {}, html("tr", {}, ...cells("th", ["job", ...data.fields, "start [s]", "wait [s]", ""])));
    root.append(html("div", { class: "sw-wide" }, html("table", { class: "sw-jobs" }, head, this.body)),
      html("div", { class: "sw-controls" },
        button("Add a job", "Add a job like the last one", () => this.tell({ do: "add" })),
        button("Start again", "Bring back the jobs that were there at first", () => this.tell({ do: "reset" })), this.check),
      this.message, this.chart, legend([data]), this.metrics);
    watchWidth(this.chart, width => { this.width = width; this.draw(); });
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
    this.metrics.textContent = data.metrics;
    if (this.width) this.draw();
  }

  row(job, at) {
    const fields = this.data.fields.map(name => html("td", {}, html("input", { title: `${name} of job ${job}`, inputmode: "numeric",
      autocomplete: "off", onchange: () => this.typed() })));
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

  // The window has a key before JupyterLab has: what is typed is no shortcut there.
  handleEvent(event) {
    const ours = !event.ctrlKey && !event.altKey && !event.metaKey && !(event.shiftKey && event.key === "Enter");
    if (ours && event.key !== "Escape" && this.body.contains(event.target)) event.stopPropagation();
  }

  draw() {
    const text = `Gantt chart of ${this.data.workload} under ${this.data.policy}`;
    this.chart.replaceChildren(new Chart(this.data, this.data, Infinity, this.width, 240, [], text).svg);
  }
}

export default {
  render({ model, el }) {
    const root = html("div", { class: "simlib-web simlib-editor" });
    el.append(root);
    const editor = new Editor(model.get("data"), root, message => model.send(message));
    model.on("change:data", () => editor.update(model.get("data")));
    model.on("comm_live_update", () => root.classList.add("sw-dead")); // the kernel was restarted
    addEventListener("keydown", editor, true);
    return () => removeEventListener("keydown", editor, true);
  },
};
