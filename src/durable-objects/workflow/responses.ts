import type { CustomResponse } from "#http/custom-response.ts";

/** The response of a run; or that it ended without one, or did not respond in time. */
type RunResponse = CustomResponse | "ended" | "late";

type Caller = { response: CustomResponse | null; respond: (response: RunResponse) => void };

/** The HTTP callers that wait for their runs. In memory only: callers that hung up or were disconnected do not wait. */
export class PendingResponses {
  readonly #callers = new Map<string, Caller>();

  /** Wait for the response of a run. */
  wait(runId: string, ms: number): Promise<RunResponse> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#respond(runId, "late"), ms);
      const respond = (response: RunResponse): void => {
        clearTimeout(timer);
        this.#callers.delete(runId);
        resolve(response);
      };
      this.#callers.set(runId, { response: null, respond });
    });
  }

  /** Store the response that the caller receives when the run ends or pauses; the first response counts. */
  offer(runId: string, response: CustomResponse): void {
    const caller = this.#callers.get(runId);
    if (caller) caller.response ??= response;
  }

  /** Respond to the caller now, if its run has responded. */
  settle(runId: string): void {
    const caller = this.#callers.get(runId);
    if (caller?.response) caller.respond(caller.response);
  }

  /** Respond to the caller of a run that has ended. */
  end(runId: string): void {
    this.#respond(runId, "ended");
  }

  /** Respond to every caller: the workflow was deleted. */
  endAll(): void {
    for (const runId of this.#callers.keys()) this.end(runId);
  }

  #respond(runId: string, otherwise: "ended" | "late"): void {
    const caller = this.#callers.get(runId);
    caller?.respond(caller.response ?? otherwise);
  }
}
