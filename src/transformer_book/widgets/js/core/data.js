// Data too large for a state, by name. On a static page a classic script for each fills globalThis.explorerData; the page
// names it in an element of a type that browsers do not run, and it comes when a reader is near an explorer that asks
// for it. In a notebook the trait `packs` holds the same.

const DATA_EVENT = "explorerdata";
const NEAR = "100%"; // of the window, above and below it
const packs = new Map(); // name -> whether its script has ended, well or not

function fetchPack(name) {
  if (packs.has(name)) return;
  const end = () => {
    packs.set(name, true);
    dispatchEvent(new Event(DATA_EVENT));
  };
  const named = document.querySelector(`script[data-pack="${name}"]`);
  packs.set(name, !named);
  if (named) document.head.append(h("script", { src: named.src, on: { load: end, error: end } }));
}

function pageData(element) {
  let near = false;
  return {
    element,
    pack(name) {
      if (near) fetchPack(name);
      return globalThis.explorerData?.[name];
    },
    isLost: (name) => packs.get(name) === true && globalThis.explorerData?.[name] === undefined,
    onArrival(callback) {
      addEventListener(DATA_EVENT, callback);
      const watch = new IntersectionObserver((entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        watch.disconnect();
        near = true;
        callback();
      }, { rootMargin: `${NEAR} 0px` });
      watch.observe(element);
      return () => {
        removeEventListener(DATA_EVENT, callback);
        watch.disconnect();
      };
    },
  };
}

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
