// An explorer on a static page: a custom element whose data-state holds the state that Python wrote.
// Its light children, a table for pages without scripts and for paper, are hidden as soon as the shadow root exists.

const PAUSE = 200; // milliseconds without a change, then it is written in the address: a drag makes dozens

function definePageExplorer(kind) {
  const tag = `${kind.name}-explorer`;
  if (customElements.get(tag)) return;
  customElements.define(tag, class extends HTMLElement {
    connectedCallback() {
      if (this.host) return;
      const initial = JSON.parse(this.dataset.state);
      const store = new Store(kind, initial);
      const place = [...document.querySelectorAll(tag)].indexOf(this);
      const urlKey = kind.name + (place > 0 ? `-${place + 1}` : "");
      this.host = new Host(kind, this, { store, urlKey, language: initial.language, data: pageData(this) });
      store.subscribe(() => {
        clearTimeout(this.writing);
        this.writing = setTimeout(() => this.rememberInUrl(urlKey), PAUSE);
      });
      this.recallFromUrl(urlKey);
    }

    // What the explorer computed and shows, for tests and for curious readers.
    get values() {
      return this.host.values;
    }

    get state() {
      return this.host.store.state;
    }

    set state(change) {
      this.host.store.set(change);
    }

    rememberInUrl(urlKey) {
      try {
        history.replaceState(history.state, "", urlWithState(urlKey, encodeState(this.host.store)));
      } catch {
        // Browsers limit how often an address may change; the link button writes it again.
      }
    }

    recallFromUrl(urlKey) {
      const text = stateInUrl(urlKey);
      if (text === null) return;
      try {
        this.host.store.set(decodeState(kind, text));
      } catch {
        this.host.complain(new Problem("url", text));
      }
    }
  });
}
