import {existsSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import type {Values} from '../release.ts'
import {isSpokenFor} from './annotations.ts'
import type {Chart} from './chart.ts'
import {isPackageOf} from './dependencies.ts'
import {readManifest} from './manifest.ts'
import {readOwnFiles} from './own-files.ts'
import {defaultValues} from './values-method/default-values.ts'

/**
 * Where the templates of a chart look for what charts share. `kk`: below `global.endpoints`, with the library `common`;
 * `openstack-helm`: below `endpoints`, with helm-toolkit.
 */
export type Dialect = 'kk' | 'openstack-helm'

/** A chart as far as what is written for it depends on what it reads. */
export interface SpokenChart {
  readonly name: string
  /** Undefined for a chart of neither; nothing is known of what it reads. */
  readonly dialect: Dialect | undefined
  /** Its defaults; those of a chart of neither are not read. */
  readonly values: Values
  /** The text of its own templates; undefined where no files are at hand. */
  readonly templates: string | undefined
}

/** Which dialect a chart speaks, with what that is told by. Throws `KK_CHART`, `KK_YAML`. */
export function spokenChart(chart: Pick<Chart, 'name' | 'directory' | 'libraries'>): SpokenChart {
  const {name, directory} = chart
  const templates = readOwnFiles(chart)
    .filter(({path}) => path.startsWith('templates/'))
    .map(({bytes}) => bytes.toString())
    .join('\n')
  const dialect = dialectOf(directory, templates)
  return {name, dialect, values: dialect === undefined ? {} : defaultValues(directory), templates}
}

/** Others have libraries named `common`, too: kk's is known by an annotation of kk's, or by the template that is called. */
function dialectOf(directory: string, templates: string): Dialect | undefined {
  const manifest = readManifest(directory)
  const vendored = vendoredIn(directory)
  const has = (library: string) =>
    manifest.dependencies.some((each) => each.name === library) ||
    vendored.some((entry) => entry === library || isPackageOf(entry, library))
  if (has('helm-toolkit')) return 'openstack-helm'
  if (has('common') && (isSpokenFor(manifest) || /"common\.chart"/.test(templates))) return 'kk'
  return /["'`]helm-toolkit\./.test(templates) ? 'openstack-helm' : undefined
}

function vendoredIn(directory: string): readonly string[] {
  const charts = join(directory, 'charts')
  return existsSync(charts) ? readdirSync(charts) : []
}
