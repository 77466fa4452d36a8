// A setting in the page's address, so that a teacher can link to it: ?attention=scaled:1;mask:causal
// Only what differs from the page's own state is written.

function encodeState(store) {
  return Object.entries(store.kind.fields)
    .filter(([name]) => !same(store.state[name], store.initial[name]))
    .map(([name, field]) => `${name}:${field.encode(store.state[name])}`)
    .join(";");
}

function decodeState(kind, text) {
  const change = {};
  // Some messengers encode the separators themselves.
  const plain = text.includes(":") ? text : decodeURIComponent(text);
  for (const part of plain.split(";")) {
    const [name, value] = part.split(":");
    if (!(name in kind.fields) || value === undefined) throw new Problem("url", text);
    change[name] = kind.fields[name].decode(value);
  }
  return change;
}

const parameters = () => location.search.slice(1).split("&").filter((part) => part !== "");

function stateInUrl(key) {
  const part = parameters().find((text) => text.startsWith(key + "="));
  return part === undefined ? null : part.slice(key.length + 1);
}

function urlWithState(key, text, hash = location.hash) {
  const others = parameters().filter((part) => !part.startsWith(key + "="));
  const search = text === "" ? others : [...others, `${key}=${text}`];
  return location.pathname + (search.length ? "?" + search.join("&") : "") + hash;
}
