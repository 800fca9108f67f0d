/**
 * The smallest host of an anywidget module: a model with traits and messages, as many views as asked
 * for. `answer` stands for Python: it takes a message and returns messages with their buffers.
 */
/** Whether a trait has this value already; of bytes, whether they are the very same. */
function same(a, b) {
  if (a instanceof DataView || b instanceof DataView) return a === b;
  return JSON.stringify(a) === JSON.stringify(b);
}

export class Model {
  #state;
  #listeners = new Map();
  #dirty = {};

  constructor(state, answer) {
    this.#state = { ...state };
    this.answer = answer;
  }

  get(name) {
    return this.#state[name];
  }

  set(name, value) {
    if (same(this.#state[name], value)) return;
    this.#state[name] = value;
    this.#dirty[name] = value;
    this.trigger(`change:${name}`);
  }

  save_changes() {
    const state = this.#dirty;
    this.#dirty = {};
    if (Object.keys(state).length) void this.#deliver({ method: "update", state });
  }

  send(content) {
    if (this.closed) throw new Error("Cannot send");
    void this.#deliver({ method: "custom", content });
  }

  on(name, callback) {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(callback));
  }

  off(name, callback) {
    if (callback) this.#listeners.get(name)?.delete(callback);
    else if (name) this.#listeners.delete(name);
    else this.#listeners.clear();
  }

  trigger(name, ...args) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(...args);
  }

  /** What Python sent: traits or a custom message. */
  receive({ state, content, buffers = [] }) {
    if (state) {
      for (const [name, value] of Object.entries(state)) {
        if (same(this.#state[name], value)) continue;
        this.#state[name] = value;
        this.trigger(`change:${name}`);
      }
    }
    if (content)
      this.trigger(
        "msg:custom",
        content,
        buffers.map((bytes) => new DataView(bytes)),
      );
  }

  /** The kernel is gone. */
  disconnect() {
    this.closed = true;
    this.trigger("comm_live_update");
  }

  async #deliver(message) {
    for (const reply of (await this.answer(message)) ?? []) this.receive(reply);
  }
}

/** Start a model; returns functions that draw a view of it into an element, and that end it. */
export function open(entry, model) {
  const widget = typeof entry === "function" ? entry() : entry;
  // Like anywidget, every hook gets a wrapper of its own.
  const wrapped = () =>
    Object.fromEntries(
      ["get", "set", "save_changes", "send", "on", "off"].map((name) => [
        name,
        (...args) => model[name](...args),
      ]),
    );
  const stop = widget.initialize({ model: wrapped() });
  return {
    view: (el) => widget.render({ model: wrapped(), el }),
    close: () => stop?.(),
  };
}
