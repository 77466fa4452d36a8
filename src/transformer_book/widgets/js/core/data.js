// Data too large for a state, by name. On a static page classic scripts fill globalThis.explorerData and send an event,
// before or after the explorer starts; in a notebook the trait `packs` holds the same.

const DATA_EVENT = "explorerdata";

const pageData = (element) => ({
  element,
  pack: (name) => globalThis.explorerData?.[name],
  hasAll: () => document.readyState === "complete", // what has not come by now will not
  onArrival(callback) {
    for (const event of [DATA_EVENT, "load"]) addEventListener(event, callback);
    return () => [DATA_EVENT, "load"].forEach((event) => removeEventListener(event, callback));
  },
});

const modelData = (model) => ({
  model,
  pack: (name) => model.get("packs")?.[name],
  onArrival(callback) {
    model.on("change:packs", callback);
    return () => model.off("change:packs", callback);
  },
  // Ask Python for what no pack holds; the answer comes as a change of traits.
  ask(question) {
    model.set("question", question);
    model.save_changes();
  },
  canAsk: () => Boolean(model.get("can_answer")),
  onRefusal(callback) {
    model.on("change:refusal", () => model.get("refusal") && callback(model.get("refusal")));
  },
});

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}
