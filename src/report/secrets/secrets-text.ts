import {releaseName} from '../../release.ts'
import type {SecretImport} from '../../verbs/secrets/import-secrets.ts'
import type {ListedSecret} from '../../verbs/secrets/list-secrets.ts'
import {table} from '../table.ts'
import {plainLine} from '../text/plain.ts'
import type {View} from '../text/view.ts'

/** The number of charts or releases that a line names. */
const NAMED = 4

/** Returns one row for each secret, without its value. */
export function secretsText(secrets: readonly ListedSecret[]): View {
  if (secrets.length === 0) return 'no secrets are kept\n'
  const isOfReleases = secrets.some(({releases}) => releases !== undefined)
  return table(secrets, {
    NAMESPACE: ({namespace}) => plainLine(namespace),
    NAME: ({name}) => plainLine(name),
    KIND: ({kind}) => plainLine(kind ?? '-'),
    'KEPT IN': ({keptIn}) => keptIn,
    SINCE: ({since}) => plainLine(since?.slice(0, 10) ?? '-'),
    [isOfReleases ? 'RELEASES' : 'CHARTS']: ({charts, releases}) =>
      listed(releases?.map(releaseName) ?? charts),
  })
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
