// oxlint-disable-next-line import/no-unassigned-import -- it replaces globals.
import "./clock.js";
export { default } from "./harness.worker.js";
