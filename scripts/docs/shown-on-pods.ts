import {globSync, readFileSync} from 'node:fs'
import {join} from 'node:path'

const TESTS = join(import.meta.dirname, '../../test/cloud')

/**
 * A `describe` of tests on real pods. Its title names charts, alone or before a colon: that of
 * `describe('nova, cinder: a virtual machine from a volume')` names two.
 */
interface Shown {
  readonly charts: readonly string[]
  /** The part after the colon. */
  readonly subject: string
  /** The titles of the tests, except those of tables (`it.each`), which have placeholders. */
  readonly titles: readonly string[]
}

/** Returns the results of the tests in `test/cloud`. */
export function readShown(): readonly Shown[] {
  const files = globSync('**/*.test.ts', {cwd: TESTS}).sort()
  return files.flatMap((file) => shownIn(readFileSync(join(TESTS, file), 'utf8')))
}

/** Returns the results of the tests in a source. */
export function shownIn(source: string): readonly Shown[] {
  return source.split(/^(?=describe\b|it\b)/m).flatMap((text) => {
    const [, , title] = /^describe[.\w]*\((['"])(.*?)\1,/.exec(text) ?? []
    if (title === undefined) return []
    const [, charts = '', subject = ''] = /^(.+?)(?:: (.+))?$/.exec(title) ?? []
    const tests = text.matchAll(/^ {2}it\(\s*(['"])(.*?)\1,/gm)
    return [{charts: charts.split(', '), subject, titles: Array.from(tests, ([, , test]) => test!)}]
  })
}

/** Returns the results of a chart as sentences, one per subject, or a dash. */
export function shownOf(chart: string, shown: readonly Shown[]): string {
  const own = shown.filter(({charts}) => charts.includes(chart))
  const sentences = Map.groupBy(own, ({subject}) => subject)
    .entries()
    .map(([subject, same]) => {
      const text = `${subject} ${same.flatMap(({titles}) => titles).join('; ')}.`.trim()
      return text.charAt(0).toUpperCase() + text.slice(1)
    })
  return [...sentences].join(' ') || '–'
}
