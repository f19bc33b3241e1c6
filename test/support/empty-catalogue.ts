import { useCatalogue } from "./catalogue.ts";

// Evaluated before each file: tests of other things know no app.
useCatalogue([]);
