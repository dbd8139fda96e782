// Links that carry a scene: #scene=<name> or #data=<deflated JSON, base64url>; and files.

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function pack(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpack(code) {
  const binary = atob(code.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(await through(Uint8Array.from(binary, (c) => c.charCodeAt(0)), new DecompressionStream("deflate-raw")));
}

export function readLink() {
  const [key, value] = location.hash.slice(1).split(/=(.*)/s);
  return key === "scene" ? { name: decodeURIComponent(value) } : key === "data" ? { code: value } : {};
}

// The scene's text with the changes of the sliders.
export function currentText(text, parameters, changed) {
  if (!changed) return text;
  const scene = JSON.parse(text);
  const time = (scene.time ??= {});
  time.step = parameters.step;
  time.method = parameters.method;
  (time.newton ??= {}).kind = parameters.newton;
  const solver = (scene.solver ??= {});
  solver.method = parameters.solver;
  solver.preconditioner = parameters.preconditioner;
  scene.gravity = parameters.gravity;
  for (const now of parameters.materials) {
    const body = scene.bodies[now.body];
    const key = body.materials ? "materials" : "material";
    const list = Array.isArray(body[key]) ? body[key] : [(body[key] ??= {})];
    const material = list[now.index];
    if (!material) continue;
    material.law = now.law;
    if (now.rotation) material.rotation = now.rotation;
    else delete material.rotation;
    if (now.young !== undefined && typeof material.young !== "object") {
      delete material.lame;
      material.young = now.young;
      material.poisson = now.poisson;
    }
    if (now.activation !== undefined) {
      material.muscle.activation = now.activation;
      delete material.muscle.period;
    }
    material.rayleigh = { ...material.rayleigh, stiffness: now.damping, mass: now.drag };
  }
  return JSON.stringify(scene, null, 2);
}

export function download(name, data, type = "application/octet-stream") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(data instanceof Blob ? data : new Blob([data], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Records the canvas as WebM; call the result to stop.
export function record(canvas, done) {
  const stream = canvas.captureStream(60);
  const kinds = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
  const mimeType = kinds.find((kind) => MediaRecorder.isTypeSupported(kind));
  const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: 12e6 });
  const parts = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  recorder.onstop = () => done(new Blob(parts, { type: "video/webm" }));
  recorder.start(500);
  return () => recorder.stop();
}
