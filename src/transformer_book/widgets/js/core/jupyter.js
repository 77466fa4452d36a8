// An explorer in a live notebook: the state is the widget's traits, synced both ways.

function renderInJupyter(kind, { model, el }) {
  const names = Object.keys(kind.fields);
  const stateOf = (list) => Object.fromEntries(list.map((name) => [name, model.get(name)]));
  const store = new Store(kind, stateOf(names));
  // Without the mark JupyterLab takes keys pressed in here, such as a slider's arrows, for commands of its own.
  const element = h("div", { "data-lm-suppress-shortcuts": "true" });
  el.append(element);
  const host = new Host(kind, element, {
    store, live: true, language: model.get("language"), data: modelData(model),
  });
  element.host = host;

  let fromPython = false;
  store.subscribe((state, previous) => {
    if (fromPython) return;
    const changed = names.filter((name) => !same(state[name], previous[name]));
    for (const name of changed) model.set(name, state[name]);
    if (changed.length) model.save_changes();
  });
  // Python's changes arrive trait by trait within one message; take them together, or X and tokens would not fit.
  const take = () => {
    if (same(stateOf(names), store.state)) return;
    fromPython = true;
    try {
      host.set(stateOf(names));
    } finally {
      fromPython = false;
    }
  };
  model.on("change", take);
  return () => {
    model.off("change", take);
    host.destroy();
  };
}
