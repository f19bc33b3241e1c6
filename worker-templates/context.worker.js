// One isolate serves several sources and several calls at once, so the state of a call is in AsyncLocalStorage, never
// in a global.
import { AsyncLocalStorage } from "node:async_hooks";

/** The current call: its log, its environment, its emissions. */
export const current = new AsyncLocalStorage();
