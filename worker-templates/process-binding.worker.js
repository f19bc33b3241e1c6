// The bindings of `process` that packages read when they are loaded. The runtime has none: all others throw.
const runtimeBinding = process.binding;

const BINDINGS = {
  // In Node, the values are the modules' code.
  natives: () =>
    Object.fromEntries(builtin("module").builtinModules.map((name) => [name, "// [native code]"])),
  constants: () => {
    const { signals, errno, priority, dlopen, UV_UDP_REUSEADDR } = builtin("os").constants;
    return {
      os: { UV_UDP_REUSEADDR, dlopen, errno, priority, signals },
      fs: builtin("fs").constants,
      crypto: builtin("crypto").constants,
      zlib: builtin("zlib").constants,
      trace: {},
    };
  },
};

function builtin(name) {
  return /** @type {any} */ (process).getBuiltinModule(`node:${name}`);
}

process.binding = function binding(name) {
  return Object.hasOwn(BINDINGS, name) ? BINDINGS[name]() : runtimeBinding.call(process, name);
};

// Loaders of native add-ons choose the file for a machine by it, and then report that the file is missing.
if (process.report) process.report.getReport = () => ({ header: { glibcVersionRuntime: "2.36" } });
