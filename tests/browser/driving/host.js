// The least that a widget needs around it: a model whose other half is Python, reached by `nbprof_host`.
const values = {};
const listeners = new Map();
const on = (name, call) => listeners.set(name, [...(listeners.get(name) ?? []), call]);
const emit = (name, ...given) => (listeners.get(name) ?? []).forEach((call) => call(...given));
const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const whole = (plain) => {
  if (plain?.base64 !== undefined) return bytes(plain.base64);
  if (plain === null || typeof plain !== "object" || Array.isArray(plain)) return plain;
  return Object.fromEntries(Object.entries(plain).map(([name, inner]) => [name, whole(inner)]));
};
let dirty = {};

const model = {
  get: (name) => values[name],
  set(name, value) {
    if (JSON.stringify(values[name]) === JSON.stringify(value)) return;
    values[name] = value;
    dirty[name] = value;
    emit(`change:${name}`, model, value);
    emit("change", model);
  },
  save_changes() {
    const state = dirty;
    dirty = {};
    if (Object.keys(state).length) exchange({ state });
  },
  send: (content) => exchange({ content }),
  on,
  off(name, call) {
    if (!name) listeners.clear();
    else listeners.set(name, call ? (listeners.get(name) ?? []).filter((c) => c !== call) : []);
  },
};

// Python answers a message with everything that it sends while it handles it.
async function exchange(message) {
  for (const { state, content, buffers } of JSON.parse(await nbprof_host(JSON.stringify(message)))) {
    for (const [name, plain] of Object.entries(state ?? {})) {
      const value = whole(plain);
      values[name] = value;
      emit(`change:${name}`, model, value);
    }
    if (content) emit("msg:custom", content, buffers.map(bytes));
  }
}

// As anywidget does: the module comes from a blob.
const source = await (await fetch("widget.js")).blob();
const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
const module = await import(url);
const widget = typeof module.default === "function" ? await module.default() : module.default;
const style = document.createElement("style");
style.textContent = await (await fetch("widget.css")).text();
document.head.append(style);
await exchange({ hello: true });
const { signal } = new AbortController();
await widget.initialize?.({ model, signal });
await widget.render?.({ model, signal, el: document.querySelector("main") });
window.nbprofModel = model;
// Asks for what Python says by itself, which the next message of the widget would bring at the latest.
window.nbprofListen = async () => {
  for (;;) {
    await new Promise((done) => setTimeout(done, 100));
    await exchange({});
  }
};
document.body.dataset.ready = "yes";
