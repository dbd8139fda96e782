// The worker: runs the WebAssembly engine in real time and never blocks the page. Frames are made only when the last one has been drawn.
import { Engine } from "../engine.mjs";

let engine;
let drawn = true;
let pending = 0;
const channel = new MessageChannel();
channel.port1.onmessage = run;

function schedule(seconds) {
  clearTimeout(pending);
  pending = 0;
  if (seconds < 0.003) channel.port2.postMessage(0);
  else pending = setTimeout(run, 1000 * seconds);
}

let queued = false;
function wake() {
  if (queued) return;
  queued = true;
  schedule(0);
}

function run() {
  queued = false;
  const wait = engine.tick(drawn);
  queued = wait < 0.003;
  schedule(Math.min(wait, 0.1));
}

function receive(head, bytes) {
  if (head.type === "frame") drawn = false;
  postMessage({ head, bytes }, [bytes]);
}

async function start() {
  // One core is left to the drawing; ?threads=N overrules that.
  const asked = Number(new URLSearchParams(self.location.search).get("threads"));
  const threads = self.crossOriginIsolated ? Math.max(1, Math.min(4, asked || (navigator.hardwareConcurrency || 2) - 1)) : 1;
  const { default: factory } = await import("./sinew.mjs");
  engine = await Engine.create(factory, { threads, onmessage: receive });
  engine.send({ do: "hello" });
}

const started = start().catch((problem) => postMessage({ head: { type: "error", text: String(problem?.message ?? problem) } }));
self.onmessage = async ({ data }) => {
  await started;
  if (!engine) return;
  if (data.ping) return postMessage({ pong: true });
  if (data.drawn) drawn = true;
  else engine.send(data.message, data.bytes);
  wake();
};
