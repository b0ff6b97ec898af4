import {KkError} from '../../errors.ts'
import type {ShownOverrides} from '../../overrides/service.ts'
import {type FormatFlags, formatted} from './formats.ts'
import {type OverridesFlags, onOverrides} from './open-overrides.ts'
import {allPlaces, namedPlaces, placeOfChart} from './places.ts'

interface ShowFlags extends OverridesFlags, Omit<FormatFlags, 'format'> {
  readonly format?: FormatFlags['format'] | undefined
  readonly all: boolean
}

/** What is to be printed: a text in a foreign format, or the overrides of each chart. */
export type Shown =
  | {readonly kind: 'text'; readonly text: string}
  | {readonly kind: 'overrides'; readonly charts: readonly ShownOverrides[]}

/** Shows the overrides of the charts that the words name. */
export async function showOverrides(
  words: readonly string[],
  flags: ShowFlags,
  say: (line: string) => void,
): Promise<Shown> {
  if (flags.all && words.length > 0) {
    throw new KkError('KK_USAGE', `--all means every chart, but ${words.join(' ')} was named`, {
      hint: 'leave out one of them',
    })
  }
  const [only, ...more] = words
  const alone = only !== undefined && more.length === 0 && !only.includes(':') ? only : undefined
  const named = flags.all || alone !== undefined ? undefined : namedPlaces(words)
  const {format} = flags
  return onOverrides(flags, {changes: false, say}, async (service): Promise<Shown> => {
    const places =
      alone === undefined
        ? (named ?? (await allPlaces(service)))
        : [await placeOfChart(service, {name: alone})]
    if (format) return {kind: 'text', text: await formatted(service, places, {...flags, format})}
    const charts: ShownOverrides[] = []
    for (const {name, namespace} of places)
      charts.push(await service.show(name, namespace, {showSecrets: flags['show-secrets']}))
    return {kind: 'overrides', charts}
  })
}
