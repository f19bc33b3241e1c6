// One isolate serves several sources and several calls at once, so everything that belongs to a call hangs on
// AsyncLocalStorage, never on a global.
import { AsyncLocalStorage } from "node:async_hooks";

/** The call that is under way: its log, its environment, what it has emitted. */
export const current = new AsyncLocalStorage();
