/** A chart in a namespace. */
export interface Place {
  readonly name: string
  readonly namespace: string
}

/** The address of its page; `query` is what else the page is asked for. */
export function chartAddress({name, namespace}: Place, query: Readonly<Record<string, string>> = {}): string {
  return `/charts/${encodeURIComponent(name)}?${new URLSearchParams({namespace, ...query})}`
}
