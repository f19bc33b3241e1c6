import { Link } from "@tanstack/react-router";

import { useSearchParam } from "./search-param.ts";

const CHOICE =
  "rounded-md px-2.5 py-1 text-sm text-kumo-subtle hover:bg-kumo-tint hover:text-kumo-default";

const CHOSEN = "rounded-md bg-kumo-base px-2.5 py-1 text-sm font-medium ring ring-kumo-line";

/** Links that each filter a list by one value of `name` in the URL; the empty value removes the filter. */
export function ChoiceLinks({
  label,
  name,
  choices,
}: {
  label: string;
  name: string;
  choices: [value: string, label: string][];
}) {
  const [value] = useSearchParam(name);
  return (
    <nav aria-label={label} className="flex flex-wrap gap-1 rounded-lg bg-kumo-recessed p-1">
      {choices.map(([choice, text]) => (
        <Link
          key={choice}
          to="."
          resetScroll={false}
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the route validates its search; its type is not known here.
          search={((previous: object) => ({ ...previous, [name]: choice || undefined })) as never}
          // The choice without a filter is current only if there is none.
          activeOptions={{ exact: true }}
          aria-current={choice === value ? "true" : undefined}
          className={choice === value ? CHOSEN : CHOICE}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
