// The stage: draws the frames, and turns pointers into points of the surface.
import {
  WebGLRenderer, Scene, PerspectiveCamera, HemisphereLight, DirectionalLight, Color, Mesh, BufferGeometry, BufferAttribute, MeshPhysicalMaterial, LineSegments,
  LineBasicMaterial, CircleGeometry, MeshStandardMaterial, ShaderMaterial, SphereGeometry, Group, Raycaster, Vector2, Vector3, Plane, Sphere, PCFSoftShadowMap,
  ACESFilmicToneMapping, ConeGeometry, InstancedMesh, Matrix4, MeshBasicMaterial, DoubleSide, GridHelper, Quaternion, ShadowMaterial,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { bodyColours, paint, themes } from "./colours.js";

const everywhere = new Sphere(new Vector3(), Infinity);
const glyphColours = [new Color(0xf2c14e), new Color(0x77b6ff), new Color(0xff8c61), new Color(0x6fa8ff)];

function floats(count) {
  return new BufferAttribute(new Float32Array(count), 3).setUsage(35048); // DYNAMIC_DRAW
}

// A ground that fades into the background.
function fadingMaterial() {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: { colour: { value: new Color() }, radius: { value: 1 } },
    vertexShader: "varying vec2 at; void main() { at = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
    fragmentShader: `uniform vec3 colour; uniform float radius; varying vec2 at;
      void main() { float r = length(at) / radius; gl_FragColor = vec4(colour, 1.0 - smoothstep(0.25, 1.0, r));
        #include <colorspace_fragment>
      }`,
  });
}

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: false, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(34, 1, 0.001, 1000);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.sky = new HemisphereLight(0xffffff, 0x444444, 1);
    this.key = new DirectionalLight(0xfff4e5, 2);
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(1024, 1024);
    this.key.shadow.radius = 5;
    this.key.shadow.bias = -0.0006;
    this.key.shadow.normalBias = 0.02;
    this.rim = new DirectionalLight(0xbfd4ff, 0.35);
    this.scene.add(this.sky, this.key, this.key.target, this.rim);
    this.world = new Group();
    this.scene.add(this.world);
    this.raycaster = new Raycaster();
    this.bodies = [];
    this.size = 1;
    this.range = null;
    this.surfaceOpacity = 1;
    this.insets = { left: 0, right: 0, bottom: 0 };
    this.setTheme("dark");
    this.resize();
  }

  setTheme(name) {
    this.theme = themes[name];
    this.scene.background = new Color(this.theme.background);
    const [sky, floor, strength] = this.theme.hemisphere;
    this.sky.color.set(sky);
    this.sky.groundColor.set(floor);
    this.sky.intensity = strength;
    this.key.intensity = this.theme.key;
    for (const ground of this.grounds ?? []) ground.traverse((o) => o.userData.paint?.(this.theme));
    if (this.wire) this.paintWire();
  }

  paintWire() {
    this.wire.material.color.set(this.theme.wire);
    this.wire.material.opacity = this.theme.wireOpacity;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    this.centre();
  }

  // Pixels at the left, at the right and at the bottom that panels cover.
  setInsets(left, right, bottom) {
    this.insets = { left, right, bottom };
    this.centre();
  }

  // Moves the middle of the picture to the middle of the free part.
  centre() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    const { left, right, bottom } = this.insets;
    if (width > 0 && height > 0) this.camera.setViewOffset(width, height, (right - left) / 2, bottom / 2, width, height);
  }

  // ---- A new scene ----

  setScene(head, bytes) {
    for (const child of [...this.world.children]) {
      this.world.remove(child);
      child.traverse((o) => (o.geometry?.dispose(), o.material?.dispose?.()));
    }
    const index = new Int32Array(bytes);
    let at = 0;
    let vertex = 0;
    this.bodies = head.bodies.map((body, i) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", floats(3 * body.vertices));
      geometry.setAttribute("normal", floats(3 * body.vertices));
      geometry.setAttribute("color", floats(3 * body.vertices));
      const triangles = new Uint32Array(3 * body.triangles);
      for (let k = 0; k < triangles.length; ++k) triangles[k] = index[at + k] - vertex;
      at += triangles.length;
      vertex += body.vertices;
      geometry.setIndex(new BufferAttribute(triangles, 1));
      geometry.boundingSphere = everywhere;
      const material = new MeshPhysicalMaterial({ color: bodyColours[i % bodyColours.length], roughness: 0.5, clearcoat: 0.18, clearcoatRoughness: 0.5 });
      const mesh = new Mesh(geometry, material);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      mesh.userData.body = i;
      this.world.add(mesh);
      return { mesh, count: body.vertices, plain: new Color(bodyColours[i % bodyColours.length]), coloured: null };
    });
    this.makeWire(head, index.subarray(at));
    this.makeColliders(head);
    this.makeMarks();
    this.frameBox(head);
    this.range = null;
    this.setOpacity(this.surfaceOpacity);
  }

  makeWire(head, edges) {
    const nodes = head.bodies.reduce((sum, body) => sum + body.wireNodes, 0);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", floats(3 * nodes));
    geometry.setIndex(new BufferAttribute(new Uint32Array(edges), 1));
    geometry.boundingSphere = everywhere;
    this.wire = new LineSegments(geometry, new LineBasicMaterial({ transparent: true, depthWrite: false }));
    this.wire.frustumCulled = false;
    this.wire.visible = false;
    this.paintWire();
    this.world.add(this.wire);
  }

  // Adaptive bodies have other edges when their tets change.
  setWire(bytes) {
    this.wire.geometry.setIndex(new BufferAttribute(new Uint32Array(bytes), 1));
  }

  makeMarks() {
    const most = 4096;
    this.pins = new InstancedMesh(new SphereGeometry(1, 12, 8), new MeshBasicMaterial({ color: 0x77b6ff }), most);
    this.pins.count = 0;
    this.pins.frustumCulled = false;
    this.grabs = new Group();
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", floats(6 * 6100));
    geometry.setAttribute("color", floats(6 * 6100));
    geometry.boundingSphere = everywhere;
    this.glyphs = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.9, depthTest: false }));
    this.glyphs.frustumCulled = false;
    this.glyphs.renderOrder = 2;
    this.glyphScale = 0;
    this.heads = new InstancedMesh(new ConeGeometry(0.4, 1, 8).translate(0, -0.5, 0), new MeshBasicMaterial({ transparent: true, opacity: 0.9, depthTest: false }), most);
    this.heads.count = 0;
    this.heads.frustumCulled = false;
    this.heads.renderOrder = 2;
    this.world.add(this.pins, this.grabs, this.glyphs, this.heads);
  }

  makeColliders(head) {
    const low = new Vector3(...head.box[0]);
    const high = new Vector3(...head.box[1]);
    const extent = high.distanceTo(low) || 1;
    this.grounds = [];
    this.colliders = head.colliders.map((collider) => {
      const group = new Group();
      if (collider.endless) {
        // A disc of the plane below the bodies' middle; it lies in its own xy.
        const normal = new Vector3(...collider.normal);
        const ground = normal.y > 0.6;
        const radius = ground ? 6 * extent : 0.75 * extent;
        const middle = low.clone().add(high).multiplyScalar(0.5);
        const inner = new Group();
        inner.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
        inner.position.copy(middle).addScaledVector(normal, new Vector3(...collider.position).sub(middle).dot(normal));
        if (ground) {
          const disc = new Mesh(new CircleGeometry(radius, 96), fadingMaterial());
          disc.material.uniforms.radius.value = radius;
          disc.userData.paint = (theme) => disc.material.uniforms.colour.value.set(theme.ground);
          disc.renderOrder = -2;
          const shade = new Mesh(new CircleGeometry(radius, 96), new ShadowMaterial({ opacity: 0.3, depthWrite: false }));
          shade.receiveShadow = true;
          shade.renderOrder = -1;
          inner.add(disc, shade);
          this.grounds.push(group);
        } else {
          const plate = new Mesh(new CircleGeometry(radius, 64), new MeshStandardMaterial({ color: this.theme.collider, transparent: true, opacity: 0.28, side: DoubleSide, roughness: 0.8, depthWrite: false }));
          inner.add(plate);
        }
        group.add(inner);
      } else {
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(new Float32Array(collider.position), 3));
        geometry.setAttribute("normal", new BufferAttribute(new Float32Array(collider.normal), 3));
        geometry.setIndex(new BufferAttribute(new Uint32Array(collider.triangles), 1));
        // Bodies that touch it lie on it or a little in it: it steps back.
        const material = new MeshStandardMaterial({ color: this.theme.collider, roughness: 0.55, metalness: 0.1, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 4 });
        material.transparent = collider.inside;
        material.opacity = collider.inside ? 0.15 : 1;
        const solid = new Mesh(geometry, material);
        solid.castShadow = solid.receiveShadow = !collider.inside;
        group.add(solid);
      }
      group.matrixAutoUpdate = false;
      this.world.add(group);
      return group;
    });
    if (!this.grounds.length) {
      const grid = new GridHelper(4 * extent, 16);
      grid.material.transparent = true;
      grid.material.opacity = 0.35;
      grid.userData.paint = (theme) => (grid.material.vertexColors = false, grid.material.color.set(theme.grid), (grid.material.needsUpdate = true));
      grid.position.set((low.x + high.x) / 2, low.y - 0.35 * extent, (low.z + high.z) / 2);
      const holder = new Group();
      holder.add(grid);
      this.world.add(holder);
      this.grounds.push(holder);
    }
    for (const ground of this.grounds) ground.traverse((o) => o.userData.paint?.(this.theme));
    this.placeColliders(head.colliders.map((collider) => collider.pose));
  }

  // A pose: three rows of a turn and an offset.
  placeColliders(poses) {
    poses.forEach((pose, i) => {
      const group = this.colliders[i];
      if (!group) return;
      group.matrix.set(...pose, 0, 0, 0, 1);
      group.matrixWorldNeedsUpdate = true;
    });
  }

  frameBox(head) {
    const low = new Vector3(...head.box[0]);
    const high = new Vector3(...head.box[1]);
    this.size = high.distanceTo(low) || 1;
    for (const collider of head.colliders) {
      if (collider.inside) continue;
      const pose = new Matrix4().set(...collider.pose, 0, 0, 0, 1);
      for (let k = 0; k < collider.position.length; k += 3) {
        const at = new Vector3().fromArray(collider.position, k).applyMatrix4(pose);
        if (!collider.endless) low.min(at), high.max(at);
        else if (collider.normal[1] > 0.6) low.y = Math.max(Math.min(low.y, at.y), low.y - 2 * this.size);
      }
    }
    // What falls ends low: look a little below the middle, and nearer.
    const falls = low.y < head.box[0][1] - 0.05 * this.size;
    const centre = low.clone().add(high).multiplyScalar(0.5);
    const radius = Math.max(0.5 * high.distanceTo(low), 1e-6);
    if (falls) centre.y = low.y + 0.38 * (high.y - low.y);
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    const free = Math.min(height - this.insets.bottom, 0.95 * (width - this.insets.left - this.insets.right)) / Math.max(1, height);
    const distance = ((falls ? 0.88 : 1) * radius) / Math.sin(Math.atan(Math.tan((this.camera.fov * Math.PI) / 360) * Math.max(0.2, free)));
    const azimuth = (head.azimuth * Math.PI) / 180;
    const elevation = (head.elevation * Math.PI) / 180;
    this.camera.position.set(Math.sin(azimuth) * Math.cos(elevation), Math.sin(elevation), Math.cos(azimuth) * Math.cos(elevation)).multiplyScalar(distance).add(centre);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.controls.minDistance = distance / 20;
    this.controls.maxDistance = distance * 8;
    this.controls.update();
    this.home = { position: this.camera.position.clone(), target: centre.clone() };
    const light = new Vector3(0.55, 1.35, 0.75).normalize();
    this.key.position.copy(centre).addScaledVector(light, 4 * radius);
    this.key.target.position.copy(centre);
    this.rim.position.copy(centre).add(new Vector3(-1, 0.4, -1).multiplyScalar(4 * radius));
    const shadow = this.key.shadow.camera;
    shadow.left = shadow.bottom = -2.2 * radius;
    shadow.right = shadow.top = 2.2 * radius;
    shadow.near = 0.1 * radius;
    shadow.far = 10 * radius;
    this.key.shadow.normalBias = 0.012 * radius;
    shadow.updateProjectionMatrix();
  }

  goHome() {
    this.camera.position.copy(this.home.position);
    this.controls.target.copy(this.home.target);
  }

  setOpacity(opacity) {
    this.surfaceOpacity = opacity;
    for (const { mesh } of this.bodies) {
      mesh.material.transparent = opacity < 1;
      mesh.material.opacity = opacity;
      mesh.material.depthWrite = opacity > 0.6;
      mesh.material.needsUpdate = true;
    }
  }

  // ---- A frame ----

  setFrame(head, bytes) {
    const all = new Float32Array(bytes);
    const { vertices, values, wire, pins, glyphs } = head.counts;
    const total = this.bodies.reduce((sum, body) => sum + body.count, 0);
    if (vertices !== total) return; // of a scene that is gone
    let position = 0;
    let normal = 3 * vertices;
    let value = 6 * vertices;
    this.updateRange(head, all.subarray(value, value + values));
    for (const body of this.bodies) {
      const { attributes } = body.mesh.geometry;
      attributes.position.array.set(all.subarray(position, position + 3 * body.count));
      attributes.normal.array.set(all.subarray(normal, normal + 3 * body.count));
      attributes.position.needsUpdate = attributes.normal.needsUpdate = true;
      position += 3 * body.count;
      normal += 3 * body.count;
      if (values) {
        paint(all.subarray(value, value + body.count), this.range[0], this.range[1], attributes.color.array);
        attributes.color.needsUpdate = true;
        value += body.count;
      }
      if (body.coloured !== values > 0) {
        body.coloured = values > 0;
        body.mesh.material.vertexColors = body.coloured;
        body.mesh.material.color.copy(body.coloured ? new Color(0xffffff) : body.plain);
        body.mesh.material.needsUpdate = true;
      }
    }
    let at = 6 * vertices + values;
    this.wire.visible = wire > 0;
    if (wire) {
      this.wire.geometry.attributes.position.array.set(all.subarray(at, at + 3 * wire));
      this.wire.geometry.attributes.position.needsUpdate = true;
      at += 3 * wire;
    }
    this.setPins(all.subarray(at, at + 3 * pins));
    at += 3 * pins;
    this.setGlyphs(all.subarray(at, at + 7 * glyphs));
    this.setGrabs(head.grabs);
    this.placeColliders(head.colliders);
  }

  // The colour range ends at the 98th percentile, so that one corner does not take all the colours; it follows quickly outwards and slowly inwards.
  updateRange(head, values) {
    if (!values.length) return void (this.range = null);
    let [low] = head.range;
    const sample = Float32Array.from({ length: Math.min(values.length, 600) }, (_, i) => values[Math.floor((i * values.length) / Math.min(values.length, 600))]).sort();
    let high = sample[Math.floor(0.98 * (sample.length - 1))];
    if (head.colour === "quality") [low, high] = [Math.min(0, low), 1];
    else if (head.colour === "level") high = head.range[1];
    else low = Math.min(low, 0);
    if (!this.range || this.rangeOf !== head.colour) this.range = [low, high];
    this.rangeOf = head.colour;
    this.range = [low, this.range[1] + (high > this.range[1] ? 0.5 : 0.04) * (high - this.range[1])];
  }

  setPins(points) {
    const matrix = new Matrix4();
    const radius = 0.012 * this.size;
    this.pins.count = Math.min(points.length / 3, 4096);
    for (let i = 0; i < this.pins.count; ++i) {
      matrix.makeScale(radius, radius, radius).setPosition(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
      this.pins.setMatrixAt(i, matrix);
    }
    this.pins.instanceMatrix.needsUpdate = true;
  }

  // Lines with the points and vectors of the frame: stresses centred, forces as arrows from their node.
  setGlyphs(data) {
    const count = Math.min(data.length / 7, 6000);
    const { position, color } = this.glyphs.geometry.attributes;
    let largest = 0;
    for (let i = 0; i < count; ++i) largest = Math.max(largest, Math.hypot(data[7 * i + 3], data[7 * i + 4], data[7 * i + 5]));
    const wanted = largest > 0 ? (0.15 * this.size) / largest : 0;
    this.glyphScale = !this.glyphScale || wanted < this.glyphScale ? wanted : this.glyphScale + 0.03 * (wanted - this.glyphScale);
    let heads = 0;
    const at = new Vector3();
    const vector = new Vector3();
    const turn = new Quaternion();
    const up = new Vector3(0, 1, 0);
    const matrix = new Matrix4();
    for (let i = 0; i < count; ++i) {
      const kind = data[7 * i + 6];
      at.fromArray(data, 7 * i);
      vector.fromArray(data, 7 * i + 3).multiplyScalar(this.glyphScale);
      const centred = kind >= 2;
      if (centred) at.addScaledVector(vector, -0.5);
      at.toArray(position.array, 6 * i);
      at.add(vector).toArray(position.array, 6 * i + 3);
      glyphColours[kind].toArray(color.array, 6 * i);
      glyphColours[kind].toArray(color.array, 6 * i + 3);
      const length = vector.length();
      if (centred || heads >= 4096 || !(length > 1e-3 * this.size)) continue;
      const head = Math.min(0.4 * length, 0.02 * this.size);
      turn.setFromUnitVectors(up, vector.divideScalar(length));
      this.heads.setMatrixAt(heads, matrix.compose(at, turn, vector.set(head, head, head)));
      this.heads.setColorAt(heads++, glyphColours[kind]);
    }
    position.needsUpdate = color.needsUpdate = true;
    this.glyphs.geometry.setDrawRange(0, 2 * count);
    this.glyphs.visible = count > 0;
    this.heads.count = heads;
    if (heads) this.heads.instanceMatrix.needsUpdate = this.heads.instanceColor.needsUpdate = true;
  }

  setGrabs(grabs) {
    while (this.grabs.children.length < grabs.length) {
      const group = new Group();
      const line = new LineSegments(new BufferGeometry().setAttribute("position", floats(6)), new LineBasicMaterial({ color: 0xffd479, depthTest: false }));
      line.geometry.boundingSphere = everywhere;
      const material = new MeshBasicMaterial({ color: 0xffd479, depthTest: false });
      const point = new Mesh(new SphereGeometry(0.008 * this.size, 16, 12), material);
      const target = new Mesh(new SphereGeometry(0.012 * this.size, 16, 12), material);
      for (const part of [line, point, target]) part.renderOrder = 3;
      group.add(line, point, target);
      this.grabs.add(group);
    }
    this.grabs.children.forEach((group, i) => {
      group.visible = i < grabs.length;
      if (!group.visible) return;
      const [line, point, target] = group.children;
      line.geometry.attributes.position.array.set([...grabs[i].at, ...grabs[i].target]);
      line.geometry.attributes.position.needsUpdate = true;
      point.position.set(...grabs[i].at);
      target.position.set(...grabs[i].target);
    });
  }

  draw() {
    this.controls.update();
    this.renderer.render(this.scene, this.camera);
  }

  // ---- Pointers ----

  aim(event) {
    const box = this.canvas.getBoundingClientRect();
    this.raycaster.setFromCamera(new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2), this.camera);
  }

  // The point of the surface under the pointer: body, triangle, shares of its corners; or null.
  pick(event) {
    this.aim(event);
    const hit = this.raycaster.intersectObjects(this.bodies.map((body) => body.mesh), false)[0];
    if (!hit) return null;
    const { array } = hit.object.geometry.attributes.position;
    const { a, b, c } = hit.face;
    const corner = (i) => new Vector3(array[3 * i], array[3 * i + 1], array[3 * i + 2]);
    const [p, q, r] = [corner(a), corner(b), corner(c)];
    const area = (u, v, w) => v.clone().sub(u).cross(w.clone().sub(u)).length();
    const whole = area(p, q, r) || 1;
    const share = [area(hit.point, q, r) / whole, area(hit.point, r, p) / whole];
    return { body: hit.object.userData.body, triangle: hit.faceIndex, share: [share[0], share[1], 1 - share[0] - share[1]], point: hit.point };
  }

  // Where the pointer is on the plane through `point` that faces the camera.
  follow(event, point) {
    this.aim(event);
    const plane = new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), point);
    return this.raycaster.ray.intersectPlane(plane, new Vector3());
  }
}
