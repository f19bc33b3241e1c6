import type { CustomResponse } from "#http/custom-response.ts";

type Caller = { response: CustomResponse | null; respond: (given: CustomResponse | null) => void };

/** The HTTP callers that wait for their runs. In memory only: callers that hung up or were disconnected do not wait. */
export class PendingResponses {
  readonly #callers = new Map<string, Caller>();

  /** Wait for the response of a run: null if it ends, pauses or times out without one. */
  wait(runId: string, ms: number): Promise<CustomResponse | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.settle(runId), ms);
      const respond = (given: CustomResponse | null): void => {
        clearTimeout(timer);
        this.#callers.delete(runId);
        resolve(given);
      };
      this.#callers.set(runId, { response: null, respond });
    });
  }

  /** Store the response that the caller receives when the run ends or pauses; the first response counts. */
  offer(runId: string, response: CustomResponse): void {
    const caller = this.#callers.get(runId);
    if (caller) caller.response ??= response;
  }

  /** Respond to the caller now. */
  settle(runId: string): void {
    const caller = this.#callers.get(runId);
    caller?.respond(caller.response);
  }

  /** Respond to every caller: the workflow was deleted. */
  settleAll(): void {
    for (const runId of this.#callers.keys()) this.settle(runId);
  }
}
