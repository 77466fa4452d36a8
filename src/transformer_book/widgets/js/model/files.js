// Where the weights of a model come from: { name, bytes, get(onProgress, again) -> Promise<ArrayBuffer> }.
// On a page a file of the site, by fetch or, on file:// where a page may fetch nothing, as a classic script that holds
// the same bytes in base64. In a notebook Python sends them.

class LoadProblem extends Error {}

const SITE_FOLDER = document.currentScript ? new URL(".", document.currentScript.src).href : "";

function pageFiles(element) {
  const files = JSON.parse(element.dataset.files ?? "{}");
  return Object.entries(files).map(([name, { file, bytes }]) => ({
    name,
    bytes,
    async get(onProgress, again) {
      const place = `${SITE_FOLDER}models/${file}`;
      const buffer = place.startsWith("file:") ? await scriptFile(place, file) : await fetchFile(place, bytes, onProgress, again);
      if (buffer.byteLength !== bytes) throw new LoadProblem("broken");
      return buffer;
    },
  }));
}

// A file's name changes with its content, so what the browser has is right, unless it was broken the first time.
async function fetchFile(place, bytes, onProgress, again) {
  try {
    const response = await fetch(`${place}.safetensors`, { cache: again ? "reload" : "force-cache" });
    if (!response.ok) throw new LoadProblem("missing");
    const parts = [];
    let received = 0;
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      received += value.length;
      onProgress(received / bytes);
    }
    return await new Blob(parts).arrayBuffer();
  } catch (error) {
    throw error instanceof LoadProblem ? error : new LoadProblem("missing");
  }
}

async function scriptFile(place, file) {
  await runScript(`${place}.js`);
  const text = globalThis.explorerModels?.[file];
  delete globalThis.explorerModels?.[file];
  if (text === undefined) throw new LoadProblem("broken");
  return bytesOf(text).buffer;
}

function runScript(src) {
  return new Promise((resolve, reject) => {
    const script = h("script", { src });
    const end = (settle) => () => {
      script.remove();
      settle();
    };
    script.onload = end(resolve);
    script.onerror = end(() => reject(new LoadProblem("missing")));
    document.head.append(script);
  });
}

// What the worker runs: in a notebook it stands in the module, a page loads it with the first model.
async function workerSource() {
  if (globalThis.explorerWorker === undefined) await runScript(SITE_FOLDER + WORKER_FILE);
  return globalThis.explorerWorker;
}

// Python answers a question with a change of the trait `files`.
function notebookFiles(model) {
  return model.get("models").map((name) => ({
    name,
    bytes: null,
    get: () => new Promise((resolve, reject) => {
      const take = () => {
        const view = model.get("files")?.[name];
        if (!view) return false;
        model.off("change:files", take);
        resolve(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
        return true;
      };
      if (take()) return;
      setTimeout(() => reject(new LoadProblem("missing")), PATIENCE); // the kernel is gone
      model.on("change:files", take);
      model.set("question", { model: name });
      model.save_changes();
    }),
  }));
}
