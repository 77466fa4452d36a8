// The page's end of the conversation with a worker that holds the models. Nothing starts before `load`.
// status: "idle", "loading", "ready" or "failed", then with a reason: "missing", "broken" or "lost".

const ANSWERS_KEPT = 300;
const PATIENCE = 60000; // milliseconds for one answer; a phone may be slow

class Engine {
  // files: of the models it opens; extra: source of further tasks for its worker.
  constructor(files, extra = "") {
    Object.assign(this, { files, extra, status: "idle", reason: "", progress: 0, notes: {}, listeners: [], answers: new Map(), attempt: 0 });
    this.bytes = files.every((file) => file.bytes) ? files.reduce((sum, file) => sum + file.bytes, 0) : null;
  }

  subscribe(listener) {
    this.listeners.push(listener);
  }

  change(fields) {
    Object.assign(this, fields);
    for (const listener of this.listeners) listener();
  }

  async load() {
    if (this.status === "loading" || this.status === "ready") return;
    const again = this.status === "failed";
    const attempt = (this.attempt += 1);
    this.change({ status: "loading", progress: 0 });
    try {
      const source = await workerSource();
      if (attempt !== this.attempt) return; // given up meanwhile
      this.start(source);
      const shares = this.files.map(() => 0);
      await Promise.all(this.files.map(async (file, i) => {
        const report = (share) => {
          if (attempt !== this.attempt) return;
          shares[i] = share * (file.bytes ?? 1);
          this.change({ progress: Math.min(1, shares.reduce((sum, x) => sum + x, 0) / (this.bytes ?? 1)) });
        };
        const buffer = await file.get(report, again);
        if (attempt !== this.attempt) return;
        this.notes[file.name] = await this.send({ task: "open", input: { name: file.name, buffer } }, [buffer]);
      }));
      if (attempt === this.attempt) this.change({ status: "ready", progress: 1 });
    } catch (error) {
      if (attempt === this.attempt) this.fail(error instanceof LoadProblem ? error.message : "lost");
    }
  }

  start(source) {
    const address = URL.createObjectURL(new Blob([source, "\n", this.extra], { type: "text/javascript" }));
    this.waiting = new Map();
    this.number = 0;
    this.worker = new Worker(address);
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.fail("lost");
    };
  }

  send(message, transfer = []) {
    const number = (this.number += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.fail("lost"), PATIENCE);
      this.waiting.set(number, { resolve, reject, timer });
      this.worker.postMessage({ ...message, number }, transfer);
    });
  }

  receive({ number, answer, problem }) {
    const asked = this.waiting.get(number);
    if (!asked) return; // the last word of a worker that was stopped
    this.waiting.delete(number);
    clearTimeout(asked.timer);
    if (problem) asked.reject(new LoadProblem(problem));
    else asked.resolve(answer);
  }

  // The answer to a task if it is known. Otherwise null: it is asked for, and listeners hear when it has come.
  ask(model, task, input) {
    if (this.status !== "ready") return null;
    const key = JSON.stringify([model, task, input]);
    if (this.answers.has(key)) return this.answers.get(key);
    this.answers.set(key, null);
    this.send({ model, task, input }).then((answer) => {
      this.answers.set(key, answer);
      if (this.answers.size > ANSWERS_KEPT) this.answers.delete(this.answers.keys().next().value);
      this.change({});
    }, (problem) => this.fail(problem.message));
    return null;
  }

  fail(reason) {
    if (this.status === "failed") return;
    this.stop();
    this.change({ status: "failed", reason });
  }

  // Questions without an answer are forgotten with their worker.
  stop() {
    this.attempt += 1; // of loading, which ends here
    this.worker?.terminate();
    for (const { timer } of this.waiting?.values() ?? []) clearTimeout(timer);
    this.waiting?.clear();
    for (const [key, answer] of this.answers) if (answer === null) this.answers.delete(key);
  }
}

// What a kind that runs models adds to its data.
function connectEngine(data) {
  const engine = new Engine(data.element ? pageFiles(data.element) : notebookFiles(data.model));
  return { ...data, engine, onArrival: (callback) => engine.subscribe(callback) };
}
