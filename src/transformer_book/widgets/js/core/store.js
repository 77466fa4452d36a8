// The state of one explorer: changed in one place, valid at all times.

class Store {
  constructor(kind, initial) {
    this.kind = kind;
    this.listeners = [];
    this.state = this.read(initial);
    this.initial = this.state;
  }

  // The state with a change made, or a Problem thrown.
  read(change) {
    const next = { ...this.state };
    for (const [name, field] of Object.entries(this.kind.fields)) {
      if (name in change) next[name] = field.read(change[name]);
    }
    this.kind.check?.(next);
    return next;
  }

  // Take over a change. A Problem leaves the last valid state as it was.
  set(change) {
    const previous = this.state;
    this.state = this.read(change);
    for (const listener of this.listeners) listener(this.state, previous);
  }

  subscribe(listener) {
    this.listeners.push(listener);
  }
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
