/** Code held up its process for longer than it may compute without yielding. */
export class RanTooLong extends Error {
  override readonly name = "RanTooLong";

  constructor() {
    super("The code ran too long without yielding");
  }
}

/** A process of user code ended while nothing else ran in it: the code caused it, such as by allocating all memory. */
export class SandboxDied extends Error {
  override readonly name = "SandboxDied";

  constructor() {
    super("The code ended the process that it ran in, most likely by taking too much memory");
  }
}
