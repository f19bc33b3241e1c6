import addFormats from "ajv-formats";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

import type { Operation, Schema } from "./document.ts";
import type { FuzzedRequest } from "./requests.ts";
import type { ApiResponse } from "./send.ts";

/** A place in our code. Errors thrown by components are for their authors. */
const STACK = /\bat [^\n"]*(?:\/src\/|index\.js|node_modules)[^\n"]*:\d+:\d+/;

/** Validates responses against the document that describes them. */
export class Judge {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false });
  readonly #validators = new Map<Schema, ValidateFunction>();

  constructor() {
    addFormats(this.#ajv);
  }

  /** The fault of a response; undefined if there is none. */
  fault(request: FuzzedRequest, { status, headers, text }: ApiResponse): string | undefined {
    if (status >= 500) return `returned ${status}: ${text.slice(0, 300)}`;
    if (!headers.get("x-request-id")) return `has no X-Request-Id (${status})`;
    if (STACK.test(text)) return `contains a stack trace of the platform: ${text.slice(0, 300)}`;
    if (request.method === "HEAD") return text === "" ? undefined : "answers HEAD with a body";
    if (request.method === "OPTIONS") return undefined;
    return this.#breach(request, { status, headers, text });
  }

  #breach(request: FuzzedRequest, { status, headers, text }: ApiResponse): string | undefined {
    const { operation } = request;
    const isElsewhere = goesElsewhere(request);
    if (isElsewhere && status < 400) return undefined;
    const schema = schemaOf(operation.responses[String(status)] ?? (isElsewhere ? FAILURE : {}));
    if (schema) return this.#mismatch(operation, { schema, text, request });
    return undocumented(operation, { status, headers, text });
  }

  #mismatch(
    operation: Operation,
    { schema, text, request }: { schema: Schema; text: string; request: FuzzedRequest },
  ): string | undefined {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return `returned a body that is not JSON: ${text.slice(0, 200)}`;
    }
    const validate = this.#validator(operation, isPartial(request) ? ENVELOPE : schema);
    if (validate(body)) return undefined;
    const [error] = validate.errors ?? [];
    return `violates its schema: ${error?.instancePath} ${error?.message} in ${text.slice(0, 300)}`;
  }

  #validator({ document }: Operation, schema: Schema): ValidateFunction {
    const made = this.#validators.get(schema);
    if (made) return made;
    const validator = this.#ajv.compile({ ...schema, components: document.components });
    this.#validators.set(schema, validator);
    return validator;
  }
}

function schemaOf({ content }: Operation["responses"][string]): Schema | undefined {
  return content?.["application/json"]?.schema;
}

/** The fault of a response that is not JSON by its document. */
function undocumented(
  { responses }: Operation,
  { status, headers, text }: ApiResponse,
): string | undefined {
  const documented = responses[String(status)];
  if (!documented) return `returned ${status}, which is not documented`;
  const type = headers.get("content-type") ?? "";
  const types = Object.keys(documented.content ?? {});
  if (text === "" || types.some((each) => type.startsWith(each))) return undefined;
  return `returned ${status} with a body of ${type}`;
}

/** Another path or method is another operation, or none: then only an error has a known shape. */
function goesElsewhere({ method, suffix, operation }: FuzzedRequest): boolean {
  return method !== operation.method || !/^\/?$/.test(suffix);
}

const FAILURE: Operation["responses"][string] = {
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

/** If the request selects fields, the resources need not have all of theirs. */
const ENVELOPE: Schema = { type: "object" };

function isPartial({ values, body }: FuzzedRequest): boolean {
  const names = new Set([...Object.keys(values), ...Object.keys(body ?? {})]);
  return names.has("include") || names.has("exclude");
}
