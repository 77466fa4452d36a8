// What the deletion of heads does: recorded for SmolLM2, computed by the engine for the book's two-layer model.

const CIRCUIT_PACK = "circuit-smollm2";
const LIVE_CIRCUIT = "copying_whole";

const headName = ([layer, head]) => `L${layer}H${head}`;

function placeOf(name) {
  const found = /^L(\d+)H(\d+)$/.exec(name);
  if (!found) throw new Problem("unknown", name);
  return [Number(found[1]), Number(found[2])];
}

const inOrder = (names) => names.map(placeOf).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(headName);

const headsField = () => ({
  read: (value) => inOrder(value.map(String)),
  encode: (names) => names.join(","),
  decode: (text) => (text === "" ? [] : text.split(",")),
});

// Place of a pair among all pairs of these heads, each with those after it, or -1.
function pairNumber(heads, [first, second]) {
  const names = heads.map(headName);
  const [i, j] = [names.indexOf(first), names.indexOf(second)];
  return i < 0 || j < 0 ? -1 : (i * (2 * heads.length - i - 1)) / 2 + j - i - 1;
}

// May these heads be deleted together? Of a recorded model one, or a recorded pair; of a live one any.
const isKnown = ({ paired }, deleted) => !paired || deleted.length < 2 || (deleted.length === 2 && pairNumber(paired, deleted) >= 0);

function checkCircuit({ catalogue, model, deleted }) {
  const entry = catalogue[model];
  if (!entry) throw new Problem("unknown", model);
  for (const name of deleted) {
    const [layer, head] = placeOf(name);
    if (layer >= entry.layers || head >= entry.heads) throw new Problem("unknown", name);
  }
  if (new Set(deleted).size < deleted.length || !isKnown(entry, deleted)) throw new Problem("unknown", deleted.join(" + "));
}

const average = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

function recordedResults({ ablation, deleted }, entry, pack) {
  if (!pack) return null;
  const { whole, single, pairs } = pack;
  const number = ([layer, head]) => layer * entry.heads + head;
  const without = { // what was recorded of a key, by how many heads are deleted
    0: (key) => whole[key],
    1: (key) => single[ablation][key][number(placeOf(deleted[0]))],
    2: (key) => pairs[ablation][key][pairNumber(entry.paired, deleted)],
  }[deleted.length];
  const rise = (layer, head) => average(single[ablation].loss[number([layer, head])]) - average(whole.loss);
  return {
    whole, changed: { loss: without("loss"), score: without("score") },
    rises: range(entry.layers).map((layer) => range(entry.heads).map((head) => rise(layer, head))),
  };
}

function liveResults({ ablation, deleted }, { texts, period, watched, layers, heads }, engine) {
  const ask = (task, input) => engine.ask(LIVE_CIRCUIT, task, { texts, period, ablation, ...input });
  const read = ask("circuit", { deleted: [] });
  const without = ask("circuit", { deleted: deleted.map(placeOf) });
  const rises = ask("singleRises", {});
  if (!read || !without || !rises) return null;
  const summary = (answers) => ({
    loss: answers.map((text) => text.loss),
    score: answers.map((text) => average(watched.map(([layer, head]) => text.scores[layer][head]))),
  });
  // Mean over the texts of what each layer holds of each head.
  const byHead = (value) => range(layers).map((layer) => range(heads).map((head) => value(layer, head)));
  const count = texts[0].length;
  const weight = (text, layer, head, n, m) => text.weights[layer][(head * count + n) * count + m];
  const mean = (layer, head, n, m) => average(without.map((text) => weight(text, layer, head, n, m)));
  return {
    whole: summary(read), changed: summary(without), rises,
    scores: byHead((layer, head) => average(without.map((text) => text.scores[layer][head]))),
    previous: byHead((layer, head) => average(range(count - 1).map((n) => mean(layer, head, n + 1, n)))),
    maps: byHead((layer, head) => range(count).map((m) => range(count).map((n) => mean(layer, head, n, m)))), // rows keys, columns queries
  };
}

function computeCircuit(state, data) {
  const entry = state.catalogue[state.model];
  const found = entry.texts ? liveResults(state, entry, data.engine) : recordedResults(state, entry, data.pack(CIRCUIT_PACK));
  return { ...entry, live: Boolean(entry.texts), known: found !== null, ...found };
}
