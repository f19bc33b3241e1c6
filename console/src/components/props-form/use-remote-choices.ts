import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api } from "../../api/client.ts";
import { useDebounced } from "../use-debounced.ts";
import { usePropsFormState } from "./control.ts";
import type { Choice, ConfigurableProp, PropSpec } from "./spec.ts";

const DELAY_MS = 250;

/** A page with fewer choices and without a context is the last. */
const MIN_PAGE = 10;

type Place = { page: number; context?: unknown };
const FIRST_PLACE: Place = { page: 0 };

type ChoicePage = { options: Choice[]; context?: unknown };

/** The choices that a component returns for a prop, in pages; read once the list is opened. */
export function useRemoteChoices(spec: PropSpec) {
  const { component, org, sent, props } = usePropsFormState();
  const [isOpen, setOpen] = useState(false);
  const [typed, search] = useState("");
  const query = useDebounced(typed, DELAY_MS);
  // Choices may depend on all other values, but not on the chosen one.
  const { [spec.name]: _, ...others } = sent;
  const pages = useInfiniteQuery({
    queryKey: ["choices", component, org, spec.name, others, query],
    enabled: isOpen,
    queryFn: ({ pageParam, signal }) =>
      choicesFor({ component, org, spec, values: sent, props, query }, pageParam, signal),
    initialPageParam: FIRST_PLACE,
    getNextPageParam: nextPlace,
  });
  const { hasNextPage, isFetching, fetchNextPage, refetch } = pages;
  return {
    choices: distinct(pages.data?.pages ?? []),
    open: () => setOpen(true),
    search,
    isLoading: isFetching,
    failure: pages.error ?? undefined,
    retry: () => void refetch(),
    readOn: hasNextPage && !isFetching ? () => void fetchNextPage() : undefined,
  };
}

async function choicesFor(
  form: {
    component: string;
    org: string | undefined;
    spec: PropSpec;
    values: Record<string, unknown>;
    props: readonly ConfigurableProp[];
    query: string;
  },
  { page, context }: Place,
  signal: AbortSignal,
): Promise<ChoicePage> {
  const { component, org, spec, values, props, query } = form;
  const { data } = await api.post("/components/{key}/options", {
    params: { path: { key: component } },
    body: {
      prop_name: spec.name,
      configured_props: values,
      dynamic_props: [...props],
      page,
      ...(context !== undefined && { prev_context: context }),
      ...(spec.searchesChoices && { query }),
      ...(org !== undefined && { org_id: org }),
    },
    signal,
  });
  return { ...data, options: data.options.map(({ label, value }) => ({ label, value })) };
}

/** The begin of the next page. Components do not report an end: a page without new choices is the last. */
function nextPlace(last: ChoicePage, pages: ChoicePage[], { page }: Place): Place | undefined {
  const isLast = last.options.length < MIN_PAGE && (last.context ?? null) === null;
  const isNew = distinct(pages).length > distinct(pages.slice(0, -1)).length;
  return isLast || !isNew ? undefined : { page: page + 1, context: last.context };
}

function distinct(pages: ChoicePage[]): Choice[] {
  const choices = pages.flatMap(({ options }) => options);
  return [...new Map(choices.map((choice) => [JSON.stringify(choice.value), choice])).values()];
}
