// The training loop: the learning rate's course, the clipped gradient and AdamW's step, as in the Python library's `train`.

// Every tensor of a model.
const tensorsOf = (part) => (part.data ? [part] : Object.values(part).flatMap(tensorsOf));

// The update's learning rate, counted from 0: a linear rise, then half a cosine.
function learningRateAt(step, { learning_rate: peak, warmup, steps, final_fraction: last }) {
  if (step < warmup) return (peak * (step + 1)) / warmup;
  const done = (step - warmup) / Math.max(1, steps - 1 - warmup);
  return peak * (last + ((1 - last) * (1 + Math.cos(Math.PI * Math.min(1, done)))) / 2);
}

function clipGradients(tensors, longest) {
  const length = Math.sqrt(tensors.reduce((sum, { gradient }) => sum + dotProduct(gradient, 0, gradient, 0, gradient.length), 0));
  const factor = Math.min(1, longest / (length + 1e-6));
  for (const { gradient } of tensors) for (let i = 0; i < gradient.length; i += 1) gradient[i] *= factor;
}

// Step number `count`, from 1. Each weight moves by its gradient's running mean over the root of its square's.
function adamw(tensors, rate, count, { betas: [beta1, beta2], weight_decay: decay }) {
  const [unbias1, unbias2] = [1 - beta1 ** count, 1 - beta2 ** count];
  for (const tensor of tensors) {
    const { data, gradient } = tensor;
    const mean = (tensor.mean ??= new Float64Array(data.length));
    const square = (tensor.square ??= new Float64Array(data.length));
    const kept = tensor.shape.length < 2 ? 1 : 1 - rate * decay; // of matrices alone
    for (let i = 0; i < data.length; i += 1) {
      mean[i] = beta1 * mean[i] + (1 - beta1) * gradient[i];
      square[i] = beta2 * square[i] + (1 - beta2) * gradient[i] ** 2;
      data[i] = kept * data[i] - ((rate / unbias1) * mean[i]) / (Math.sqrt(square[i] / unbias2) + 1e-8);
    }
  }
}

// One update on texts with the tokens that count; returns the mean loss of these tokens before it.
function trainStep(model, { texts, counts }, step, settings) {
  const tensors = tensorsOf(model.parts);
  for (const tensor of tensors) tensor.gradient = new Float64Array(tensor.data.length);
  const total = counts.reduce((sum, row) => sum + row.slice(1).filter(Boolean).length, 0);
  const loss = texts.reduce((sum, tokens, i) => sum + learnText(model, tokens, counts[i], 1 / total), 0) / total;
  clipGradients(tensors, settings.clip);
  adamw(tensors, learningRateAt(step, settings), step + 1, settings);
  return loss;
}
