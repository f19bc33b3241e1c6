/** A package with many parts, of which a component uses those that it names. */
export type PartialPackage = {
  /** Each folder in here is a part. */
  folder: string;
  /** The export with the parts as members. Other exports begin with the name of their part, up to an underscore. */
  table: string;
  /** Exports and members that need no part. */
  plain: ReadonlySet<string>;
};

/** By name. A package belongs here if the code outside its parts loads them all and uses none by itself. */
export const PARTIAL_PACKAGES: ReadonlyMap<string, PartialPackage> = new Map([
  [
    "googleapis",
    {
      folder: "build/src/apis/",
      table: "google",
      plain: new Set(["Auth", "Common", "auth", "options"]),
    },
  ],
]);

/** The parts that a component names, by package. A package that is absent is used as a whole. */
export type UsedParts = ReadonlyMap<string, ReadonlySet<string>>;
