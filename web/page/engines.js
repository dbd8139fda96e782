// Two engines with one face: send(message, bytes), drawn(), onmessage(head, bytes).

export class WorkerEngine {
  constructor() {
    this.name = "WebAssembly";
    this.onmessage = () => {};
    this.start();
  }
  start() {
    const threads = new URLSearchParams(location.search).get("threads");
    this.worker = new Worker(new URL(`./worker.js${threads ? `?threads=${+threads}` : ""}`, import.meta.url), { type: "module" });
    this.worker.onmessage = ({ data }) => {
      if (data.pong) this.answered?.();
      else this.onmessage(data.head, data.bytes);
    };
    this.worker.onerror = (event) => this.onmessage({ type: "error", text: event.message ?? "the worker cannot be started" });
  }
  // Calls back when everything sent before has been done.
  ping(answered) {
    this.answered = answered;
    this.worker.postMessage({ ping: true });
  }
  // A worker that is inside a long step hears nothing: it is given up and a new one says hello.
  restart() {
    this.worker.terminate();
    this.start();
  }
  send(message, bytes) {
    this.worker.postMessage({ message, bytes });
  }
  drawn() {
    this.worker.postMessage({ drawn: true });
  }
}

// `sinew view`: each WebSocket message is the length of its JSON text (4 bytes, little-endian), the text, zeros up to a multiple of 8, then the bytes.
export class SocketEngine {
  constructor(address) {
    this.name = "native";
    this.onmessage = () => {};
    this.waiting = [];
    this.socket = new WebSocket(address);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      for (const message of this.waiting) this.socket.send(message);
      this.waiting = [];
    };
    this.socket.onmessage = ({ data }) => {
      const length = new DataView(data).getUint32(0, true);
      const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
      this.onmessage(head, data.slice((4 + length + 7) & ~7));
    };
    this.socket.onclose = () => this.onmessage({ type: "closed", text: "the connection to sinew view is closed" });
    this.send({ do: "hello" });
  }
  send(message, bytes) {
    const text = new TextEncoder().encode(JSON.stringify(message));
    const data = bytes ? new Uint8Array(bytes) : new Uint8Array(0);
    const begin = (4 + text.length + 7) & ~7;
    const all = new Uint8Array(begin + data.length);
    new DataView(all.buffer).setUint32(0, text.length, true);
    all.set(text, 4);
    all.set(data, begin);
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(all);
    else if (this.socket.readyState === WebSocket.CONNECTING) this.waiting.push(all);
  }
  drawn() {
    this.send({ do: "drawn" });
  }
}
