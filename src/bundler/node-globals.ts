/**
 * Variables that code for Node expects in every module. An ES module has no `__dirname`, `__filename` or URL of its own
 * here, and code that only joins them to a name must not fail because of that. Node has no `self`: packages that find
 * one detect a browser, and use it as a page would (`new Request("")`).
 */
export const NODE_GLOBALS = {
  __dirname: '"/"',
  __filename: '"/component.js"',
  "import.meta.url": '"file:///component.js"',
  self: "undefined",
};
