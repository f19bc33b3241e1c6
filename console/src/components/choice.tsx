import { useId } from "react";

/** A choice of one of a few values, side by side. */
export function Choice<Value extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset className="flex h-9 items-center rounded-lg bg-kumo-recessed p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="relative flex h-8 cursor-pointer items-center rounded-md px-3 text-sm whitespace-nowrap text-kumo-subtle has-checked:bg-kumo-base has-checked:font-medium has-checked:text-kumo-default has-checked:shadow-xs has-focus-visible:outline-2 has-focus-visible:outline-kumo-focus"
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
