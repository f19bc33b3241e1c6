import { expect, test } from "vitest";

import { mayPass } from "../../tools/scripts/deploy/wrangler.ts";

test.for([
  "Received a malformed response from the API\nPUT /accounts/a/workers/scripts/b -> 502 Bad Gateway",
  "Failed to fetch /accounts/a - 503: Service Unavailable",
  "HTTP 500: Internal Server Error",
  "PUT /accounts/a -> 429 Too Many Requests",
  "An unknown error has occurred [code: 10013]",
  "fetch failed",
])("%j is worth a retry", (log) => expect(mayPass(log)).toBe(true));

test.for([
  "Total Upload: 512 KiB / gzip: 100 KiB\nScript startup exceeded CPU time limit. [code: 10021]",
  "Total Upload: 512.34 KiB / gzip: 512 KiB\nbinding DB references a missing resource [code: 10021]",
  "index.js - 512 KiB\nThe script is too large [code: 10027]",
  "at line 500: incomplete input: SQLITE_ERROR [code: 7500]",
  "src/index.ts:512:3: ERROR: Could not resolve",
])("%j is a final response", (log) => expect(mayPass(log)).toBe(false));
