// The page: connects an engine with the stage, the panel, the plots and the user.
import { gradient, plain, short } from "./colours.js";
import { SocketEngine, WorkerEngine } from "./engines.js";
import { Panel } from "./panel.js";
import { Plots } from "./plots.js";
import { currentText, download, pack, readLink, record, unpack } from "./share.js";
import { Stage } from "./stage.js";

const $ = (selector) => document.querySelector(selector);
const native = new URLSearchParams(location.search).has("native");
const stage = new Stage($("#stage"));
const plots = new Plots($("#plots"));
const engine = native ? new SocketEngine(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/engine`) : new WorkerEngine();
const small = matchMedia("(max-width: 720px)").matches;

const state = { scene: null, text: null, name: "", playing: true, changed: false, frame: null, bytes: null, pinning: false, slow: false, stop: null, frames: 0, parameters: null };
let panel = null;
let gallery = [];

// ---- Messages to the user ----

function say(text, kind = "note") {
  const box = document.createElement("div");
  box.className = `message ${kind}`;
  box.setAttribute("role", kind === "error" ? "alert" : "status");
  box.textContent = text;
  box.title = "click to close";
  box.onclick = () => box.remove();
  if (kind === "error") $("#messages").querySelectorAll(".error").forEach((old) => old.textContent === text && old.remove());
  $("#messages").append(box);
  while ($("#messages").children.length > 4) $("#messages").firstChild.remove();
  if (kind !== "error") setTimeout(() => box.remove(), 3500);
}

// ---- View settings, remembered ----

function remembered() {
  try {
    return JSON.parse(localStorage.getItem("sinew-view") ?? "{}");
  } catch {
    return {};
  }
}

const view = {
  colour: "none", glyphs: "none", wire: false, opacity: 1, theme: matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark", plots: !small,
  ...remembered(),
  change(key) {
    if (["colour", "glyphs", "wire"].includes(key)) engine.send({ do: "look", colour: this.colour, glyphs: this.glyphs, wire: this.wire });
    if (key === "opacity") stage.setOpacity(this.opacity);
    if (key === "theme") setTheme();
    if (key === "plots") showPlots();
    if (!["theme", "plots"].includes(key)) return;
    try {
      localStorage.setItem("sinew-view", JSON.stringify({ ...remembered(), [key]: this[key] }));
    } catch { /* private windows may forbid it */ }
  },
};

function setTheme() {
  document.documentElement.dataset.theme = view.theme;
  stage.setTheme(view.theme);
  plots.build();
  plots.dirty = true;
}

// The body is shown in the middle of the space that the panels leave free.
function arrange() {
  const wide = !small && innerWidth > 720;
  const gallery = wide && document.body.classList.contains("with-gallery");
  stage.setInsets(gallery ? 284 : wide && view.plots ? 264 : 0, wide ? 284 : 0, wide ? 64 : 124);
}

function showGallery(on) {
  document.body.classList.toggle("with-gallery", on);
  arrange();
}

function showPlots() {
  $("#plots").hidden = !view.plots;
  plots.dirty = true;
  arrange();
}

// ---- Scenes ----

async function loadNamed(name) {
  const entry = gallery.find((item) => item.name === name);
  if (!entry) return say(`there is no scene '${name}' in the gallery`, "error");
  const response = await fetch(`scenes/${entry.name}.json`);
  loadText(await response.text(), `${entry.name}.json`);
  history.replaceState(null, "", `#scene=${encodeURIComponent(name)}`);
}

function loadText(text, name) {
  state.name = name;
  document.body.classList.add("loading");
  state.playing = true;
  engine.send({ do: "load", name, text, playing: true });
  expectAnswer(text, name);
}

// When the engine is inside a step that takes very long and does not answer, a new one takes the scene over.
const patience = 8000;
let watch = 0;
function expectAnswer(text, name) {
  clearTimeout(watch);
  if (native || !text) return;
  watch = setTimeout(() => {
    state.pending = { text, name };
    say("a step took too long; the engine starts again");
    engine.restart();
  }, patience);
  engine.ping(() => clearTimeout(watch));
}

let meshEndings = []; // the engine names them
const ending = (name) => name.slice(name.lastIndexOf(".") + 1).toLowerCase();

async function openFiles(files) {
  const list = [...files];
  const stateFile = list.find((file) => ending(file.name) === "sinew");
  if (stateFile) return engine.send({ do: "restore" }, await stateFile.arrayBuffer());
  const meshes = list.filter((file) => meshEndings.includes(ending(file.name)));
  for (const file of meshes) engine.send({ do: "file", name: file.name }, await file.arrayBuffer());
  const scene = list.find((file) => ending(file.name) === "json");
  history.replaceState(null, "", location.pathname + location.search);
  if (scene) return loadText(await scene.text(), scene.name);
  if (meshes.length) {
    document.body.classList.add("loading");
    state.name = meshes[0].name;
    engine.send({ do: "play", on: true });
    return engine.send({ do: "mesh", name: meshes[0].name });
  }
  say(`a scene (.json), a mesh (${meshEndings.map((e) => `.${e}`).join(" ")}) or a state (.sinew) can be dropped here; '${list[0]?.name}' is none`, "error");
}

async function shareLink() {
  if (!state.text) return say("this scene cannot be put into a link", "error");
  const code = await pack(currentText(state.text, state.parameters, state.changed));
  history.replaceState(null, "", `#data=${code}`);
  try {
    await navigator.clipboard.writeText(location.href);
    say("link copied: it carries the whole scene");
  } catch {
    say("the address of this page now carries the whole scene");
  }
}

// ---- Messages from the engine ----

const handlers = {
  hello(head) {
    if (native) Object.assign(view, head.look); // other tabs may have chosen
    if (!panel) {
      panel = new Panel($("#panel"), head.lists, send, view);
      meshEndings = head.lists.formats.map(({ name }) => name);
      $("#file").accept = ["json", "sinew", ...meshEndings].map((name) => `.${name}`).join(",");
      if (small) panel.gui.close();
    }
    $("#engine").textContent = `${engine.name}, ${head.threads} thread${head.threads > 1 ? "s" : ""}`;
    $("#engine").title = `sinew ${head.version}, ${head.simd}`;
    if (!native) {
      engine.send({ do: "look", colour: view.colour, glyphs: view.glyphs, wire: view.wire });
      setSlow(state.slow);
    }
    if (!state.pending) return begin();
    const { text, name } = state.pending;
    state.pending = null;
    state.name = name;
    engine.send({ do: "load", name, text, playing: true });
  },
  scene(head, bytes) {
    document.body.classList.remove("loading");
    state.scene = head;
    state.text = head.text ?? null;
    state.parameters = head.parameters;
    state.changed = false;
    if (state.frame) engine.drawn(); // a frame of the scene before, which nobody will draw
    state.frame = null;
    stage.setScene(head, bytes);
    panel.setScene(head);
    panel.opacity.updateDisplay();
    plots.clear();
    $("#title").textContent = head.name;
    $("#about").textContent = description(head.text);
    const count = (flat) => head.bodies.reduce((sum, body) => sum + (body.flat === flat ? body.elements : 0), 0);
    $("#size").textContent = [[count(false), "tets"], [count(true), "triangles"]].filter(([number]) => number)
      .map(([number, what]) => `${number.toLocaleString("en")} ${what}`).join(", ");
    setPlaying(native ? head.playing : state.playing, !native);
    document.querySelectorAll("#cards .card").forEach((card) => card.classList.toggle("current", `${card.dataset.name}.json` === state.name));
  },
  wire(head, bytes) {
    stage.setWire(bytes);
  },
  frame(head, bytes) {
    state.frame = head;
    state.bytes = bytes;
  },
  parameters(head) {
    state.parameters = head.parameters;
    panel.setParameters(head.parameters);
  },
  error(head) {
    document.body.classList.remove("loading");
    say(head.text, "error");
  },
  closed(head) {
    say(head.text, "error");
  },
  note(head) {
    say(head.text);
  },
  state(head, bytes) {
    download(`${head.name.replaceAll(/[^\w-]+/g, "-")}.sinew`, bytes);
  },
  hash(head) {
    say(`hash after ${head.steps} steps: ${head.hash}`);
  },
};

function description(text) {
  try {
    return JSON.parse(text).description ?? "";
  } catch {
    return "";
  }
}

engine.onmessage = (head, bytes) => handlers[head.type]?.(head, bytes);

function send(message) {
  if (message.do === "set") state.changed = true;
  engine.send(message);
}

// ---- The clock of the page ----

function show(head) {
  $("#factor").textContent = `×${head.playing ? head.factor.toFixed(2) : "0.00"}`;
  $("#factor").classList.toggle("slow", head.playing && head.factor > 0 && head.factor < 0.93 * (state.slow ? 0.2 : 1));
  $("#time").textContent = `${head.time.toFixed(2)} s`;
  $("#step").textContent = `${head.milliseconds.toFixed(head.milliseconds < 10 ? 1 : 0)} ms`;
  const probes = state.scene.probes.map((name, i) => `${name} ${head.probes[i].map(plain).join(", ")}`);
  $("#probes").textContent = probes.join("\n");
  if (head.playing !== state.playing) setPlaying(head.playing, false);
  if (head.speed < 1 !== state.slow) setSlow(head.speed < 1, false);
  const coloured = head.counts.values > 0 && stage.range;
  $("#legend").hidden = !coloured;
  if (!coloured) return;
  $("#legend .low").textContent = short(stage.range[0]);
  $("#legend .high").textContent = short(stage.range[1]);
  $("#legend .what").textContent = panel.lists.colours.find(({ name }) => name === head.colour)?.text ?? "";
}

function draw() {
  requestAnimationFrame(draw);
  if (state.frame && state.scene) {
    const { frame, bytes } = state;
    state.frame = null;
    stage.setFrame(frame, bytes);
    show(frame);
    plots.add(frame);
    state.last = frame;
    ++state.frames;
    engine.drawn();
  }
  stage.draw();
  plots.draw();
}

// ---- Transport ----

function setPlaying(on, tell = true) {
  state.playing = on;
  $("#play").textContent = on ? "❚❚" : "▶";
  $("#play").title = on ? "pause (space)" : "play (space)";
  if (tell) engine.send({ do: "play", on });
}

function setSlow(on, tell = true) {
  state.slow = on;
  $("#slow").classList.toggle("on", on);
  if (tell) engine.send({ do: "speed", value: on ? 0.2 : 1 });
}

function setPinning(on) {
  state.pinning = on;
  $("#pin").classList.toggle("on", on);
  document.body.classList.toggle("pinning", on);
}

function savePicture() {
  stage.draw();
  stage.canvas.toBlob((blob) => download("sinew.png", blob), "image/png");
}

function toggleRecording() {
  if (state.stop) return state.stop();
  try {
    const stop = record(stage.canvas, (blob) => {
      state.stop = null;
      $("#record").classList.remove("on");
      download("sinew.webm", blob);
    });
    state.stop = stop;
    $("#record").classList.add("on");
  } catch (problem) {
    say(`this browser cannot record: ${problem.message}`, "error");
  }
}

function next(key, controller, list) {
  const names = list.map(({ name }) => name);
  view[key] = names[(names.indexOf(view[key]) + 1) % names.length];
  controller.updateDisplay();
  view.change(key);
}

function toggle(key, controller) {
  view[key] = !view[key];
  controller.updateDisplay();
  view.change(key);
}

const actions = {
  play: () => setPlaying(!state.playing),
  step: () => (setPlaying(false), engine.send({ do: "advance", steps: 1 })),
  reset: () => (engine.send({ do: "reset" }), plots.clear(), expectAnswer(state.text, state.name)),
  slow: () => setSlow(!state.slow),
  pin: () => setPinning(!state.pinning),
  unpin: () => engine.send({ do: "unpin" }),
  gallery: () => showGallery(!document.body.classList.contains("with-gallery")),
  open: () => $("#file").click(),
  link: shareLink,
  picture: savePicture,
  record: toggleRecording,
  save: () => engine.send({ do: "save" }),
  panel: () => (panel.gui._closed ? panel.gui.open() : panel.gui.close()),
  colour: () => next("colour", panel.colour, panel.lists.colours),
  glyphs: () => next("glyphs", panel.glyphs, panel.lists.glyphs),
  wire: () => toggle("wire", panel.wire),
  plots: () => toggle("plots", panel.plots),
  theme: () => (view.theme = view.theme === "dark" ? "light" : "dark", panel.theme.updateDisplay(), view.change("theme")),
  home: () => stage.goHome(),
  full: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
  hash: () => engine.send({ do: "hash" }),
  help: () => ($("#help").hidden = !$("#help").hidden),
  close: () => ($("#help").hidden = true, showGallery(false), setPinning(false)),
};
const keys = { " ": "play", ".": "step", r: "reset", s: "slow", p: "pin", u: "unpin", g: "gallery", o: "open", l: "link", i: "picture", v: "record", k: "save", c: "colour", y: "glyphs", w: "wire", t: "plots", d: "theme", h: "home", f: "full", x: "hash", m: "panel", "?": "help", Escape: "close" };

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
  const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  event.preventDefault();
  if (event.target.tagName === "BUTTON") event.target.blur();
  actions[action]();
});
for (const button of document.querySelectorAll("[data-action]")) button.onclick = () => (actions[button.dataset.action](), button.blur());

// ---- Grabbing: each finger has its own handle ----

const held = new Map(); // pointer id -> { handle, point }

function release(event) {
  const grab = held.get(event.pointerId);
  if (!grab) return;
  held.delete(event.pointerId);
  engine.send({ do: "release", handle: grab.handle });
  if (!held.size) stage.controls.enabled = true;
  document.body.classList.remove("grabbing");
}

stage.canvas.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  const hit = state.scene && stage.pick(event);
  if (!hit) return;
  event.stopImmediatePropagation();
  const { body, triangle, share } = hit;
  if (state.pinning || event.shiftKey) return engine.send({ do: "pin", body, triangle, share, radius: 0.03 * stage.size });
  stage.canvas.setPointerCapture(event.pointerId);
  stage.controls.enabled = false;
  const used = [...held.values()].map((grab) => grab.handle);
  const handle = [...Array(10).keys()].find((i) => !used.includes(i)) ?? 0;
  held.set(event.pointerId, { handle, point: hit.point });
  document.body.classList.add("grabbing");
  engine.send({ do: "grab", handle, body, triangle, share, target: hit.point.toArray() });
}, { capture: true });

stage.canvas.addEventListener("pointermove", (event) => {
  const grab = held.get(event.pointerId);
  if (!grab) return hover(event);
  const target = stage.follow(event, grab.point);
  if (target) engine.send({ do: "grab", handle: grab.handle, target: target.toArray() });
});
for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) stage.canvas.addEventListener(name, release);

let hovered = 0;
function hover(event) {
  if (event.pointerType !== "mouse" || event.buttons || performance.now() - hovered < 120) return;
  hovered = performance.now();
  document.body.classList.toggle("over", !!stage.pick(event));
}

// ---- Files dropped ----

addEventListener("dragover", (event) => (event.preventDefault(), document.body.classList.add("dropping")));
addEventListener("dragleave", (event) => event.relatedTarget || document.body.classList.remove("dropping"));
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  if (event.dataTransfer.files.length) openFiles(event.dataTransfer.files);
});
$("#file").onchange = (event) => (openFiles(event.target.files), (event.target.value = ""));
addEventListener("resize", () => (stage.resize(), arrange()));
addEventListener("hashchange", () => begin());

// ---- Start ----

async function loadGallery() {
  gallery = await (await fetch("gallery.json")).json();
  $("#cards").replaceChildren(...gallery.map(({ name, title, text, picture }) => {
    const card = document.createElement("button");
    card.className = "card";
    card.dataset.name = name;
    card.title = text;
    const image = picture ? Object.assign(new Image(), { src: `pictures/${name}.jpg`, alt: "", loading: "lazy", width: 240, height: 150 }) : Object.assign(document.createElement("div"), { className: "blank" });
    const label = Object.assign(document.createElement("span"), { textContent: title });
    card.append(image, label);
    card.onclick = () => (loadNamed(name), small && showGallery(false), card.blur());
    return card;
  }));
}

async function begin() {
  const link = readLink();
  try {
    if (link.code) return loadText(await unpack(link.code), "link.json");
  } catch {
    say("the link is damaged: its scene cannot be read", "error");
  }
  if (link.name) return loadNamed(link.name);
  if (native) return engine.send({ do: "describe" });
  if (innerWidth > 1100) showGallery(true);
  loadNamed(gallery[0].name);
}

$("#legend .bar").style.background = gradient;
setTheme();
showPlots();
const listed = loadGallery();
const hello = handlers.hello;
handlers.hello = async (head) => (await listed, hello(head));
requestAnimationFrame(draw);

// For tests and for the curious.
Object.assign(window, { sinew: { state, stage, engine, view, actions, openFiles, loadText, loadNamed, get gallery() { return gallery; }, get panel() { return panel; } } });
