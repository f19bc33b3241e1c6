import { readFile } from "node:fs/promises";
import { join } from "node:path";

import SwaggerParser from "@apidevtools/swagger-parser";
import addFormats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";

import { fieldsIn, type OpenApi } from "../support/documented.ts";

// The compilers of the validators make functions of texts, which the platform's runtime forbids.
const FOLDER = join(import.meta.dirname, "../../.wrangler/contract");
const DOCUMENTS = ["v1", "admin", "connect"];

test.for(DOCUMENTS)("the document %s is valid OpenAPI 3.1", async (name) => {
  await expect(SwaggerParser.validate(join(FOLDER, `${name}.json`))).resolves.toMatchObject({
    openapi: "3.1.0",
  });
});

test.for(DOCUMENTS)("every example in the document %s is valid by its schema", async (name) => {
  const document: OpenApi = JSON.parse(await readFile(join(FOLDER, `${name}.json`), "utf8"));
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  const { schemas } = document.components;
  const given = fieldsIn(document).filter(({ schema }) => schema.example !== undefined);
  expect(given.length).toBeGreaterThan(300);
  const invalid = given.flatMap(({ where, name: field, schema }) => {
    const isValid = ajv.compile({ ...schema, components: { schemas } });
    const fault = isValid(schema.example) ? [] : [ajv.errorsText(isValid.errors)];
    return fault.map((message) => `${where}: ${field}: ${message}`);
  });
  expect(invalid).toEqual([]);
});
