// TrainingExplorer: a decoder of two layers learns to copy, in this page, with parts of it left out (section 6).

const UPDATES_AT_ONCE = 5; // between two looks at the heads
const STILL_UPDATES = 50; // between two drawings for readers who want little motion

// One training in the engine's worker, which may pause; a new start forgets the old one.
class Course {
  constructor(engine) {
    this.engine = engine;
    this.attempt = 0;
    this.forget();
    engine.subscribe(() => engine.status === "failed" && this.seen && this.forget());
  }

  forget() {
    this.attempt += 1;
    Object.assign(this, { running: false, busy: false, step: 0, losses: [], points: [], seen: null });
  }

  pause() {
    this.running = false;
    this.engine.change({});
  }

  async go(what, seed) {
    this.running = true;
    this.engine.change({});
    if (this.busy) return; // it has only been told to pause, and goes on
    const { engine, attempt } = this;
    const ask = async (task, input) => {
      const answer = await engine.send({ task, input });
      if (attempt === this.attempt) this.take(answer);
    };
    this.busy = true;
    try {
      await engine.load();
      const started = engine.status === "ready";
      if (started && attempt === this.attempt && !this.seen) await ask("start", { what, seed });
      while (started && attempt === this.attempt && this.running && this.step < what.settings.steps) await ask("train", { steps: UPDATES_AT_ONCE });
    } catch (problem) {
      if (!(problem instanceof LoadProblem)) throw problem;
      engine.fail(problem.message);
    }
    if (attempt !== this.attempt) return;
    Object.assign(this, { busy: false, running: false });
    engine.change({});
  }

  take(seen) {
    const loss = seen.losses.reduce((sum, x) => sum + x, 0) / seen.losses.length;
    const { step } = seen;
    if (seen.losses.length) this.points.push([step - UPDATES_AT_ONCE / 2, loss, Math.max(...seen.induction.flat())]);
    Object.assign(this, { seen, step, losses: [...this.losses, ...seen.losses] });
    this.engine.change({});
  }
}

function connectTraining(data) {
  const engine = new Engine([], TRAINING_SOURCE);
  return { ...data, engine, course: new Course(engine), onArrival: (callback) => engine.subscribe(callback) };
}

// What is trained: the experiment's decoder without the parts that are switched off.
function trainingOf({ given: { config, ...rest }, mask, scale, positions }) {
  return { ...rest, causal: mask, config: { ...config, scale, positions: positions ? config.positions : "none" } };
}

function computeTraining(_, { course: { step, losses, points, running, seen } }) {
  return { step, losses, points, running, induction: seen?.induction ?? null, previous: seen?.previous ?? null };
}

class TrainingView {
  constructor(host) {
    const { text, store: { state: { given } }, data: { course } } = host;
    const { config: { num_layers: layers, num_heads: heads, context_length: count }, settings: { steps }, signs } = given;
    Object.assign(this, { host, course, steps, key: this.keyOf(host.store.state) });
    this.switches = ["mask", "scale", "positions"].map((name) => [name, switchControl(text[name], (on) => host.set({ [name]: on }))]);
    this.seed = stepperControl(text.seed, (seed) => host.set({ seed }));
    this.main = buttonControl(text.start, () => this.press(), { class: "action main" });
    this.again = buttonControl(text.again, () => {
      course.forget();
      this.press();
    });
    this.where = h("p", { class: "where" });
    this.chart = new CourseChart(text, { steps, guess: Math.log(signs.length) });
    this.patterns = new HeadPatterns(text, { layers, heads, count });
    this.tokens = h("span", { class: "tokens" });
    this.element = h("div", {},
      h("div", { class: "toolbar" }, ...this.switches.map(([, control]) => control.element), this.seed.element),
      h("div", { class: "toolbar" }, this.main, this.again, this.where),
      h("div", { class: "panels" }, h("div", { class: "card" }, this.chart.element),
        h("div", { class: "card" }, this.patterns.element, h("p", { class: "hint" }, text.text, " ", this.tokens), h("p", { class: "hint" }, text.hint))));
  }

  keyOf({ mask, scale, positions, seed }) {
    return JSON.stringify([mask, scale, positions, seed]);
  }

  // A reset forgets the course even where no setting differs.
  stop() {
    this.course.forget();
    this.host.update();
  }

  press() {
    const { course, host, host: { store: { state } } } = this;
    host.note("");
    if (course.running) course.pause();
    else course.go(trainingOf(state), state.seed);
  }

  update(state, values) {
    const { host, course, host: { text, data: { engine } } } = this;
    if (this.key !== this.keyOf(state)) {
      this.key = this.keyOf(state);
      course.forget();
      host.update();
      return;
    }
    for (const [name, control] of this.switches) control.update(state[name]);
    this.seed.update(state.seed, 0, 99);
    const { step, running } = values;
    setText(this.main, running ? text.pause : step > 0 ? text.goOn : text.start);
    this.main.disabled = step >= this.steps;
    this.again.disabled = step === 0;
    setText(this.where, step === 0 && !running ? text.idle : text.at(step, this.steps));
    if (engine.status === "failed" && !running) host.note(text.loader.failed[engine.reason], "problem");
    const still = reducedMotion() && running && step % STILL_UPDATES > 0;
    const drawn = `${host.theme} ${this.key} ${step}`;
    if (still || drawn === this.drawn) return;
    this.drawn = drawn;
    this.show(state, values);
  }

  show({ given: { signs } }, { step, points, running }) {
    const { host, course: { seen } } = this;
    const [, loss, score] = points.at(-1) ?? [];
    const none = running ? host.text.at(step, this.steps) : host.text.idle;
    const words = points.length ? host.text.said(step, formatFixed(loss, 2), formatFixed(score, 2)) : none;
    this.chart.update(points, words);
    this.patterns.update(seen);
    setText(this.tokens, seen ? seen.text.map((id) => signs[id]).join("") : "–");
    const spoken = host.status.textContent !== ""; // by an earlier course
    if ((points.length || spoken) && (step % STILL_UPDATES === 0 || !running)) host.say(words);
  }
}

const trainingKind = {
  name: "training",
  styles: trainingStyles,
  fields: { mask: booleanField(), scale: booleanField(), positions: booleanField(), seed: integerField(0, 99), given: givenField() },
  labels: trainingLabels,
  connect: connectTraining,
  check: ({ given }) => {
    if (!given?.config) throw new Problem("url", "given");
  },
  compute: computeTraining,
  view: (host) => new TrainingView(host),
};
