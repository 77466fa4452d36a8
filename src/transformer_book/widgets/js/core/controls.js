// Controls made of the browser's own: a keyboard and a screen reader know them.

let controlNumber = 0; // ids and radio names stay apart, however many explorers a page holds

function switchControl(label, onChange) {
  const input = h("input", { type: "checkbox", role: "switch", on: { change: () => onChange(input.checked) } });
  const element = h("label", { class: "switch" }, input, h("span", { class: "track" }), h("span", { html: label }));
  return { element, update: (value) => (input.checked = value) };
}

// choices: [value, label] pairs. Arrow keys move between them.
function choiceControl(legend, choices, onChange) {
  const name = `choice-${(controlNumber += 1)}`;
  const inputs = choices.map(([value]) =>
    h("input", { type: "radio", name, value: String(value), on: { change: () => onChange(value) } }),
  );
  const labels = choices.map(([, label], i) => h("label", {}, inputs[i], h("span", { html: label })));
  const element = h("fieldset", { class: "choice" }, h("legend", { html: legend }), h("div", {}, ...labels));
  const update = (value) => inputs.forEach((input) => (input.checked = input.value === String(value)));
  return { element, update };
}

// A whole number with a button on either side.
function stepperControl(label, onChange) {
  let current = 0;
  const change = (step) => () => onChange(current + step);
  const output = h("output", {});
  const less = h("button", { type: "button", "aria-label": `${label} −1`, on: { click: change(-1) } }, "−");
  const more = h("button", { type: "button", "aria-label": `${label} +1`, on: { click: change(1) } }, "+");
  const element = h("div", { class: "stepper", role: "group", "aria-label": label },
    h("span", { html: label }), less, output, more);
  const update = (value, least, most, text = String(value)) => {
    current = value;
    setText(output, text);
    less.disabled = value <= least;
    more.disabled = value >= most;
  };
  return { element, update };
}

function sliderControl(label, { min, max, step, spoken = String }, onInput) {
  const id = `slider-${(controlNumber += 1)}`;
  const input = h("input", {
    type: "range", id, min, max, step, on: { input: () => onInput(Number(input.value)) },
  });
  const output = h("output", {});
  const element = h("div", { class: "slider" }, h("label", { for: id, html: label }), input, output);
  const update = (value, text = spoken(value)) => {
    input.value = value;
    input.setAttribute("aria-valuetext", text);
    setText(output, text);
  };
  return { element, input, update };
}

const buttonControl = (label, onClick, properties = {}) =>
  h("button", { type: "button", class: "action", html: label, on: { click: onClick }, ...properties });
