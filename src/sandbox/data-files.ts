/** The modules of an isolate with the data of packages, in base64: its bundle shows them as files to the harness. */
export const DATA_FOLDER = "dependencies/data/";
