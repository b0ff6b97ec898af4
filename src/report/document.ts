import {dumpYaml} from '../yaml/dump.ts'

export type DocumentFormat = 'json' | 'yaml'

/** Returns one document for `--output json|yaml`, with its last newline. Keys keep the order of the value. */
export function documentText(value: unknown, format: DocumentFormat): string {
  const json = JSON.stringify(value, undefined, 2)
  if (format === 'json') return `${json}\n`
  // The value goes through JSON, so that both formats have the same content: no undefined, dates as strings.
  return dumpYaml(JSON.parse(json))
}
