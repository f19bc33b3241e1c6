/** The folder of a component's own CommonJS files among the modules of its isolate. */
export const OWN_FILES = "files";

/** The code before a file in its module, on its first line: the parameters that `worker-templates/sloppy.worker.js` passes. */
export const BEFORE_FILE =
  "module.exports = (self, importing) => function (exports, require, module, __filename, __dirname) {";
