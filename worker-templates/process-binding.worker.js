// `process.binding("natives")`, in which packages look up Node's own modules. The runtime has no bindings.
const runtimeBinding = process.binding;

process.binding = function binding(name) {
  if (name !== "natives") return runtimeBinding.call(process, name);
  const { builtinModules } = process.getBuiltinModule("node:module");
  // In Node, the values are the modules' code.
  return Object.fromEntries(builtinModules.map((module) => [module, "// [native code]"]));
};
