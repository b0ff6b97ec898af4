/**
 * `npm run charts:versions [-- COMMIT]`: lists the charts whose packages differ from those of a commit and
 * still have the same version, or a new one without its changes (`artifacthub.io/changes`). The commit
 * defaults to the last tag, whose charts were published.
 */
import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import {isMap} from '../src/base/values.ts'
import type {PackedChart} from '../src/charts/publishing/pack-chart.ts'
import {readChart} from '../src/charts/read-chart.ts'
import {openFinding} from '../src/cli/open/charts.ts'
import {packCharts} from '../src/verbs/charts/package-charts.ts'
import {readOwnCharts} from './charts/read-charts.ts'

const CHANGES = 'artifacthub.io/changes'

/**
 * Returns a line for each chart in `charts/` of a work tree that must not be published in its state, compared
 * with the commit.
 */
export async function faultsSince(root: string, commit: string): Promise<readonly string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'kk-chart-versions-'))
  try {
    await execa('git', ['-C', root, 'archive', '--output', join(directory, 'charts.tar'), commit, 'charts'])
    await execa('tar', ['--extract', '--file', join(directory, 'charts.tar'), '--directory', directory])
    const published = new Map((await pack(join(directory, 'charts'))).map((chart) => [chart.name, chart]))
    return (await pack(join(root, 'charts'))).flatMap(
      (chart) => faultOf(chart, published.get(chart.name)) ?? [],
    )
  } finally {
    await rm(directory, {recursive: true})
  }
}

async function pack(directory: string): Promise<readonly PackedChart[]> {
  await using finding = openFinding(undefined)
  const own = readOwnCharts(directory).map((chart) => chart.directory)
  const charts = own.filter((each) => readChart(each).type === 'application')
  return await packCharts({charts, version: undefined, finding})
}

function faultOf(now: PackedChart, then: PackedChart | undefined): string | undefined {
  if (then === undefined || now.digest === then.digest) return
  if (now.version === then.version)
    return `${now.name} has changed, and is ${now.version} still: raise its version, and say what changed (${CHANGES})`
  if (changesOf(now) === undefined || changesOf(now) === changesOf(then))
    return `${now.name} ${now.version} does not say what changed since ${then.version} (${CHANGES})`
}

function changesOf({metadata: {annotations}}: PackedChart): unknown {
  return isMap(annotations) ? annotations[CHANGES] : undefined
}

async function main([given]: readonly string[]): Promise<void> {
  const root = join(import.meta.dirname, '..')
  const described = await execa('git', ['-C', root, 'describe', '--tags', '--abbrev=0'], {reject: false})
  const commit = given ?? (described.failed ? undefined : described.stdout)
  if (commit === undefined) return console.log('there is no tag: no chart was published yet')
  const faults = await faultsSince(root, commit)
  console.log([...faults, `${faults.length} charts to mend since ${commit}`].join('\n'))
  process.exitCode = faults.length === 0 ? 0 : 1
}

if (import.meta.main) await main(process.argv.slice(2))
