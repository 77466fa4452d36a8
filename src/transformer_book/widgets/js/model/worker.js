// The engine's end of the conversation. Each message is one task; each gets one reply with its number.

const opened = {};

const TASKS = {
  open: (_, { name, buffer }) => {
    const { notes: { pieces, ...notes }, config } = (opened[name] = openModel(buffer)); // tasks alone need the pieces
    return { ...notes, config };
  },
  continuation, translation, classification, review, sentence, circuit, singleRises,
};

onmessage = ({ data: { number, task, model, input } }) => {
  try {
    postMessage({ number, answer: TASKS[task](opened[model], input) });
  } catch (error) {
    postMessage({ number, problem: error instanceof BrokenFile ? "broken" : "lost", detail: String(error) });
  }
};
