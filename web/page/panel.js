// The panel of sliders and choices. It shows the parameters that the engine sends and sends the user's changes. The lists come from the library.
import GUI from "lil-gui";
import { short } from "./colours.js";

const options = (list, extra = {}) => ({ ...extra, ...Object.fromEntries(list.map(({ name }) => [name, name])) });

export class Panel {
  // send(message) for the engine; view: an object with colour, glyphs, wire, opacity, theme, plots and change(key).
  constructor(parent, lists, send, view) {
    this.lists = lists;
    this.send = send;
    this.view = view;
    this.gui = new GUI({ container: parent, title: "Parameters", width: 268 });
    this.value = {};
    this.buildView();
  }

  buildView() {
    const folder = this.gui.addFolder("View");
    const change = (key) => () => this.view.change(key);
    const names = (list) => Object.fromEntries(list.map(({ name, text }) => [text, name]));
    this.colour = folder.add(this.view, "colour", names(this.lists.colours)).name("colour by").onChange(change("colour"));
    this.glyphs = folder.add(this.view, "glyphs", names(this.lists.glyphs)).onChange(change("glyphs"));
    this.wire = folder.add(this.view, "wire").name("wireframe of tets").onChange(change("wire"));
    this.opacity = folder.add(this.view, "opacity", 0.1, 1, 0.01).name("surface").onChange(change("opacity"));
    this.theme = folder.add(this.view, "theme", ["dark", "light"]).onChange(change("theme"));
    this.plots = folder.add(this.view, "plots").onChange(change("plots"));
  }

  // ---- What belongs to the scene ----

  setScene(head) {
    for (const folder of this.folders ?? []) folder.destroy();
    this.head = head;
    const material = this.gui.addFolder("Material");
    const time = this.gui.addFolder("Time and world");
    const solver = this.gui.addFolder("Solver");
    solver.close();
    this.folders = [material, time, solver];
    this.buildMaterial(material);
    this.buildTime(time);
    this.buildSolver(solver);
    this.setParameters(head.parameters);
  }

  sendMaterial(change) {
    const { body, index } = this.parameters.materials[this.value.which];
    this.send({ do: "set", body, index, ...change });
  }

  buildMaterial(folder) {
    const v = Object.assign(this.value, { which: 0, young: 5, poisson: 0.3, damping: -3, drag: 0, activation: 0, law: "", rotation: "" });
    const names = {};
    this.head.parameters.materials.forEach(({ body, index }, i) => {
      const several = this.head.parameters.materials.filter((other) => other.body === body).length > 1;
      names[this.head.bodies[body].name + (several ? ` ${index + 1}` : "")] = i;
    });
    const which = folder.add(v, "which", names).name("of").onChange(() => this.show());
    if (Object.keys(names).length < 2) which.hide();
    this.young = folder.add(v, "young", 2, 9, 0.01).onChange((value) => this.sendMaterial({ young: 10 ** value }));
    this.poisson = folder.add(v, "poisson", 0, 0.499, 0.001).decimals(3).name("Poisson's ratio").onChange((poisson) => this.sendMaterial({ poisson }));
    this.damping = folder.add(v, "damping", -5, 0, 0.01).onChange((value) => this.sendMaterial({ damping: value <= -4.99 ? 0 : 10 ** value }));
    for (const controller of [this.young, this.damping]) controller.domElement.classList.add("log");
    this.drag = folder.add(v, "drag", 0, 20, 0.1).name("drag [1/s]").onChange((drag) => this.sendMaterial({ drag }));
    this.activation = folder.add(v, "activation", 0, 1, 0.01).onChange((activation) => this.sendMaterial({ activation }));
    this.law = folder.add(v, "law", options(this.lists.laws)).onChange((law) => this.sendMaterial({ law }));
    this.rotation = folder.add(v, "rotation", options(this.lists.rotations, { "the law's": "" })).onChange((rotation) => this.sendMaterial({ rotation }));
  }

  buildTime(folder) {
    const v = Object.assign(this.value, { step: -2, gravity: -9.81, method: "", newton: "" });
    this.step = folder.add(v, "step", -4, -1, 0.01).onChange((value) => this.send({ do: "set", step: +(10 ** value).toPrecision(2) }));
    this.step.domElement.classList.add("log");
    this.gravity = folder.add(v, "gravity", -100, 100, 0.01).name("gravity [m/s²]").onChange((y) => this.send({ do: "set", gravity: [this.parameters.gravity[0], y, this.parameters.gravity[2]] }));
    this.method = folder.add(v, "method", options(this.lists.methods)).name("integrator").onChange((method) => this.send({ do: "set", method }));
    this.newton = folder.add(v, "newton", options(this.lists.newton)).name("Newton").onChange((newton) => this.send({ do: "set", newton }));
  }

  buildSolver(folder) {
    const v = Object.assign(this.value, { solver: "", preconditioner: "" });
    this.solver = folder.add(v, "solver", options(this.lists.solvers)).onChange((solver) => this.send({ do: "set", solver }));
    this.preconditioner = folder.add(v, "preconditioner", options(this.lists.preconditioners)).onChange((preconditioner) => this.send({ do: "set", preconditioner }));
  }

  setParameters(parameters) {
    this.parameters = parameters;
    this.show();
  }

  show() {
    const p = this.parameters;
    const m = p.materials[this.value.which] ?? p.materials[0];
    const known = m.young !== undefined;
    this.young.show(known);
    this.poisson.show(known);
    Object.assign(this.value, { law: m.law, rotation: m.rotation, drag: m.drag, damping: m.damping > 0 ? Math.log10(m.damping) : -5 });
    this.activation.show(m.muscle);
    if (m.activation !== undefined) this.value.activation = m.activation; // otherwise keys move it until the slider does
    if (known) Object.assign(this.value, { young: Math.log10(Math.max(m.young, 1)), poisson: m.poisson });
    Object.assign(this.value, { step: Math.log10(p.step), gravity: p.gravity[1], method: p.method, newton: p.newton, solver: p.solver, preconditioner: p.preconditioner });
    this.young.name(`stiffness ${known ? short(m.young, "Pa") : ""}`);
    this.damping.name(`damping ${m.damping > 0 ? short(m.damping, "s") : "none"}`);
    this.step.name(`step ${short(p.step, "s")}`);
    this.gui.controllersRecursive().forEach((controller) => {
      if (!controller.domElement.contains(document.activeElement) || document.activeElement?.tagName !== "INPUT") controller.updateDisplay();
    });
  }
}
