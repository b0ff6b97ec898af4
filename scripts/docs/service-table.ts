import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {namedTemplates} from '../../src/charts/template-names.ts'
import {statedRequirements} from '../../src/graph/annotations.ts'
import type {Image} from '../../src/images/image.ts'
import {readImages} from '../../src/images/inventory/read-images.ts'
import {imagesOf, type OwnChart, readOwnCharts} from '../charts/read-charts.ts'
import {markdownTable} from './marked.ts'
import {readShown, shownOf} from './shown-on-pods.ts'

/**
 * Returns the parts of `docs/services.md`: each chart of a service, with its images, requirements and test,
 * and a list of what was shown.
 */
export async function serviceTable(): Promise<Record<string, string>> {
  const images = await readImages(join(import.meta.dirname, '../../images'))
  const shown = readShown()
  const charts = readOwnCharts().filter(({values}) => values.components !== undefined)
  const rows = charts.map((chart) => rowOf(chart, images))
  const items = charts.map(({name}) => `- **${name}**: ${shownOf(name, shown)}`)
  const headings = ['service', 'state', 'images', 'requires', 'what `kk test` shows']
  return {services: markdownTable(headings, rows), shown: items.join('\n')}
}

/** The fields of a `Chart.yaml` for the table. */
interface Manifest {
  readonly description: string
  readonly appVersion: string
  readonly deprecated?: boolean
  readonly annotations: Readonly<Record<string, string>>
}

function rowOf(chart: OwnChart, images: readonly Image[]): readonly string[] {
  const manifest = load(readFileSync(join(chart.directory, 'Chart.yaml'), 'utf8')) as Manifest
  const named = imagesOf(chart)
  const releases = images.filter(({name}) => name === named[0] || name.startsWith(`${named[0]}-20`))
  return [
    `**${chart.name}**: ${manifest.description}`,
    stateOf(manifest, releases),
    named.map((name) => `\`${name}\``).join(', '),
    statedRequirements(manifest.annotations).join(', '),
    shownBy(chart),
  ]
}

/**
 * Returns the releases that it runs in; for a retired service the last one, and the image's project if kk has
 * none.
 */
function stateOf({deprecated, appVersion}: Manifest, releases: readonly Image[]): string {
  if (deprecated) return `retired, last in ${appVersion}`
  if (releases.length === 0) return 'you name its image'
  return releases.map(({tag}) => tag.split('-')[0]!).join(', ')
}

/** Returns the first line of its test script's docstring, else the comment before it. */
function shownBy({name, directory, values}: OwnChart): string {
  const scripts = Object.values(values.tests ?? {}).flatMap(({script, scripts}) => script ?? scripts ?? [])
  const own = namedTemplates({name, directory, libraries: []}, 'common.scripts.')
  const found = own.find((template) => scripts.includes(template.name))
  const [, docstring] = /"""(.*?)"""/s.exec(found?.text ?? '') ?? []
  return (docstring ?? found?.comment ?? '').trim().split('\n')[0]!
}
