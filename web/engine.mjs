// The WebAssembly engine for JavaScript: in a worker, on a page or in node. docs/embed-wasm.md shows how to use it in another page.
//
//   const engine = await Engine.create(factory, { threads: 1, onmessage: (head, bytes) => ... });
//   engine.send({ do: "load", name: "bar.json", text });
//   engine.tick(true);

export class Engine {
  // factory: the default export of sinew.mjs; options.module: further options of the module (locateFile, ...).
  static async create(factory, { threads = 1, onmessage = () => {}, module = {} } = {}) {
    if (threads > 1 && globalThis.crossOriginIsolated === false) throw new Error(`${threads} threads need a page that is cross-origin isolated`);
    const wasm = await factory({ ...module, threads, onmessage: (text, bytes) => onmessage(JSON.parse(text), bytes) });
    const handle = wasm._sinew_create(threads);
    if (!handle) throw new Error("the engine cannot be started: no memory or no threads");
    return new Engine(wasm, handle);
  }

  constructor(wasm, handle) {
    this.wasm = wasm;
    this.handle = handle;
  }

  // A message with bytes (ArrayBuffer or Uint8Array, may be left out) behind it. Replies arrive in onmessage before this returns.
  send(message, bytes = new Uint8Array(0)) {
    const text = this.#copy(new TextEncoder().encode(JSON.stringify(message) + "\0"));
    const data = new Uint8Array(bytes);
    const behind = this.#copy(data);
    this.wasm._sinew_message(this.handle, text, behind, data.length);
    this.wasm._free(text);
    this.wasm._free(behind);
  }

  // Takes the steps that are due. Sends a frame when one is wanted and there is something new. Returns the seconds until the next call is of use.
  tick(wantsFrame) {
    return this.wasm._sinew_tick(this.handle, wantsFrame ? 1 : 0);
  }

  destroy() {
    this.wasm._sinew_destroy(this.handle);
  }

  #copy(bytes) {
    const at = this.wasm._malloc(bytes.length + 1);
    if (!at) throw new Error("out of memory");
    this.wasm.HEAPU8.set(bytes, at);
    return at;
  }
}
