import type {RunView} from './run-view.ts'

/** The first keys of every event, so that a line can be read from its left end. */
const FIRST = ['type', 'at', 'run', 'release', 'kind']

/** A run as one JSON object per line, its keys in a stable order: the keys of `FIRST` first, then by name. */
export function ndjsonView({stream}: {readonly stream: {write(text: string): unknown}}): RunView {
  return {
    show(event) {
      stream.write(`${JSON.stringify(event, inOrder)}\n`)
    },
    async close() {},
  }
}

function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareKeys(a, b)))
}

function compareKeys(a: string, b: string): number {
  const [first, second] = [rank(a), rank(b)]
  if (first !== second) return first - second
  return a < b ? -1 : 1
}

function rank(key: string): number {
  const place = FIRST.indexOf(key)
  return place === -1 ? FIRST.length : place
}
