import {releaseName} from '../../release.ts'
import type {SecretImport} from '../../verbs/secrets/import-secrets.ts'
import type {ListedSecret} from '../../verbs/secrets/list-secrets.ts'
import {table} from '../table.ts'
import {plainLine} from '../text/plain.ts'

/** The number of charts or releases that a line names. */
const NAMED = 4

/** Returns one line for each secret, without its value. */
export function secretsText(secrets: readonly ListedSecret[]): string {
  if (secrets.length === 0) return 'no secrets are kept\n'
  const isOfReleases = secrets.some(({releases}) => releases !== undefined)
  const rows = secrets.map(({namespace, name, kind, keptIn, since, charts, releases}) => [
    plainLine(namespace),
    plainLine(name),
    plainLine(kind ?? '-'),
    keptIn,
    plainLine(since?.slice(0, 10) ?? '-'),
    listed(releases?.map(releaseName) ?? charts),
  ])
  const lines = table([
    ['NAMESPACE', 'NAME', 'KIND', 'KEPT IN', 'SINCE', isOfReleases ? 'RELEASES' : 'CHARTS'],
    ...rows,
  ])
  return lines.map((line) => `${line}\n`).join('')
}

function listed(names: readonly string[]): string {
  const more = names.length - NAMED
  if (names.length === 0) return '-'
  return more > 0 ? `${names.slice(0, NAMED).join(', ')} and ${more} more` : names.join(', ')
}

const OUTCOMES = {
  added: 'added',
  replaced: 'replaced',
  kept: 'kept as it is (--replace takes the one of the file)',
  same: 'there already',
} as const

const FORESEEN = {...OUTCOMES, added: 'would be added', replaced: 'would be replaced'} as const

/** Returns what an import did or, with `isForeseen`, would do. */
export function importText(
  {namespace, secrets, unknown, empty}: SecretImport,
  {isForeseen}: {readonly isForeseen: boolean},
): string {
  const outcomes = isForeseen ? FORESEEN : OUTCOMES
  const lines = secrets.map(
    ({name, from, outcome}) =>
      `${plainLine(namespace)}/${name} from ${plainLine(from)}: ${outcomes[outcome]}`,
  )
  const others = [
    ...(empty.length === 0 ? [] : [`without a value: ${empty.map(plainLine).join(', ')}`]),
    ...(unknown.length === 0 ? [] : [`not used by kk: ${unknown.map(plainLine).join(', ')}`]),
  ]
  return [...lines, ...others].map((line) => `${line}\n`).join('')
}
