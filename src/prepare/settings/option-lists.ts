import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {memoize, once} from '../../base/once.ts'

/** The options of a service in one release of OpenStack, by section and name: a file of `options/`. */
export type OptionList = Readonly<Record<string, Readonly<Record<string, ListedOption>>>>

interface ListedOption {
  /** Its former names, `SECTION.OPTION`, which are still read. */
  readonly formerly?: readonly string[]
  /** Whether a later release removes it. */
  readonly removed?: true
}

/** Returns the lists of the service of a chart, by release of OpenStack; each is parsed at its first call. */
export type OptionLists = (chart: string) => Promise<ReadonlyMap<string, () => OptionList>>

/** Opens the lists in `options/` of kk's own files. */
export function openOptionLists(builtIn: () => Promise<string>): OptionLists {
  return memoize(async (chart) => {
    const directory = join(await builtIn(), 'options')
    // A build warms up before kk's own files are packed.
    const files = (existsSync(directory) ? readdirSync(directory) : [])
      .map((release) => [release, join(directory, release, `${chart}.json`)] as const)
      .filter(([, file]) => existsSync(file))
    return new Map(
      files.map(([release, file]) => [release, once(() => JSON.parse(readFileSync(file, 'utf8')).options)]),
    )
  })
}
