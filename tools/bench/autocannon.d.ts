/** The part of autocannon that the benchmark uses; the package has no types. */
declare module "autocannon" {
  import type { EventEmitter } from "node:events";

  type Request = { method?: string; headers?: Record<string, string>; body?: string };
  type Options = {
    url: string;
    connections: number;
    duration?: number;
    amount?: number;
    requests: (Request & { setupRequest: (request: Request) => Request })[];
  };
  type Outcome = { errors: number; timeouts: number; non2xx: number; duration: number };
  type Run = EventEmitter & PromiseLike<Outcome>;

  export default function autocannon(options: Options): Run;
}
