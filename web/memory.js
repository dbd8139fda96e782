// Part of the code around the module (emcc --pre-js). It lets one WebAssembly file serve all pages: `threads` of the module's options says how many
// threads run, 1 if it is missing.
//
// The file is compiled for threads, so it imports a shared memory. Only a page that is cross-origin isolated may have one. With one thread the code below
// gives the module a plain memory: it clears the bit "shared" of the import. The instructions stay as they are, because atomic loads and stores are valid
// in a plain memory too. Only waiting is not, and one thread never waits.
// Source: WebAssembly, binary format, sections 5.3.8 (limits), 5.5.5 (imports); proposal "threads", overview.

// Returns the bytes of a module with the imported memory no longer shared.
function unshare(module) {
  var bytes = new Uint8Array(module).slice();
  var at = 8; // behind the magic number and the version
  function number() { // LEB128
    for (var value = 0, scale = 1; ; scale *= 128) {
      var byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }
  function skipName() {
    var length = number();
    at += length;
  }
  function skipLimits() {
    var flags = bytes[at++];
    number();
    if (flags & 1) number();
  }
  while (at < bytes.length) {
    var section = bytes[at++], size = number(), end = at + size;
    for (var left = section === 2 ? number() : 0; left > 0; --left) {
      skipName();
      skipName();
      var kind = bytes[at++];
      if (kind === 0) number();
      else if (kind === 1) at += 1, skipLimits();
      else if (kind === 2) bytes[at] &= ~2, skipLimits();
      else at += 2;
    }
    at = end;
  }
  return bytes;
}

// The generated code asks whether buffers are of this kind. Where a page may not have it, no buffer is.
var SharedArrayBuffer = globalThis.SharedArrayBuffer || function () {};

if (!Module["ENVIRONMENT_IS_PTHREAD"] && !(Module["threads"] > 1)) {
  Module["threads"] = 1;
  Module["wasmMemory"] = new WebAssembly.Memory({ "initial": 1024, "maximum": 32768 }); // pages of 64 KiB, as the linker's options in engine.mk say
  Module["instantiateWasm"] = function (imports, receive) {
    getBinaryPromise().then(function (module) {
      return WebAssembly.instantiate(unshare(module), imports);
    }).then(function (result) {
      receive(result["instance"], result["module"]);
      removeRunDependency("wasm-instantiate"); // the last thread that starts would do this
    }).catch(readyPromiseReject);
    return {};
  };
}
