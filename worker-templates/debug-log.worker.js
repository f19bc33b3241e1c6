// `util.debuglog` as in Node: silent, unless NODE_DEBUG names its section. The runtime's always writes, and packages
// for streams would fill the log of a run.
import util, { format } from "node:util";

/** Write to the console of the call if NODE_DEBUG of its environment names this section. */
function debuglog(section, onEnabled) {
  const name = String(section).toUpperCase();
  const isEnabled = () => sectionsOf(process.env.NODE_DEBUG).some((pattern) => pattern.test(name));
  const write = (...args) => {
    if (isEnabled()) console.error(`${name} ${process.pid}: ${format(...args)}`);
  };
  onEnabled?.(write);
  return Object.defineProperty(write, "enabled", { get: isEnabled });
}

/** In Node's format: names separated by commas, with `*` as a wildcard. */
function sectionsOf(given = "") {
  return given
    .split(",")
    .filter((name) => name.trim() !== "")
    .map((name) => {
      const pattern = name.trim().replaceAll(/[$()+.?[\\]^{|}]/g, String.raw`\$&`);
      return new RegExp(`^${pattern.replaceAll("*", ".*")}$`, "i");
    });
}

Object.assign(util, { debuglog, debug: debuglog });
