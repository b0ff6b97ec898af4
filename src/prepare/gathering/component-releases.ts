import {KkError} from '../../base/errors.ts'
import {mergeValues} from '../../base/merge.ts'
import type {Position} from '../../base/position.ts'
import type {Chart} from '../../charts/chart.ts'
import {readDialectChart} from '../../charts/dialect.ts'
import {partsOf} from '../../charts/parts-of.ts'
import type {Environment, Part} from '../../environment/environment.ts'
import {type LoadOptions, loadChart, releaseIdIn} from './load-charts.ts'

/** The maximum length of a release name in Helm (Helm 4.2: validate_name.go). */
const MAX_NAME_LENGTH = 53

/**
 * Returns the environment with each section that has `components: true` replaced by one release per
 * component, with the values and settings of the section. A section whose chart is missing stays; the missing
 * chart is reported later. Throws `KK_ENVIRONMENT` for a chart without components, and for release names that
 * are already used.
 */
export async function withComponentReleases(options: LoadOptions): Promise<Environment> {
  const {environment} = options
  const split = [...environment.releases].filter(([, {components}]) => components).map(([name]) => name)
  if (split.length === 0) return environment
  const partsBySection = new Map<string, ReadonlyMap<string, Part>>()
  for (const section of split) {
    const chart = await loadChart(
      options,
      releaseIdIn(environment, section),
      !environment.sections.has(section),
    )
    if (chart) partsBySection.set(section, partsOfSection(environment, section, chart))
  }
  const parts = new Map([...partsBySection.values()].flatMap((each) => [...each]))
  const spread = <Value>(entries: ReadonlyMap<string, Value>) =>
    new Map(
      [...entries].flatMap(([name, value]) =>
        partsBySection.has(name)
          ? [...partsBySection.get(name)!.keys()].map((part) => [part, value] as const)
          : [[name, value] as const],
      ),
    )
  const settings = [...environment.releases].map(([name, {components: _, ...rest}]) => {
    const of = partsBySection.get(name)
    return [name, of ? {...rest, chart: rest.chart ?? name} : rest] as const
  })
  const {position} = environment
  return {
    ...environment,
    sections: spread(environment.sections),
    releases: spread(new Map(settings)),
    parts,
    position: (path) => position(path.map((key) => parts.get(String(key))?.section ?? key)),
  }
}

function partsOfSection(environment: Environment, section: string, chart: Chart): ReadonlyMap<string, Part> {
  const {file, sections, releases} = environment
  const position = environment.position(['kk', 'releases', section, 'components'])
  const place = placeIn(file, position)
  const parts = partsOf({
    section,
    chart: chart.name,
    values: mergeValues(readDialectChart(chart).values, sections.get(section) ?? {}),
    file,
    position,
  })
  if (readDialectChart(chart).dialect !== 'kk' || parts.size === 0) {
    throw new KkError(
      'KK_ENVIRONMENT',
      `${place}: the chart ${chart.name} has no components that could be separate releases`,
      {hint: `remove kk.releases.${section}.components: only charts with kk's library common have them`},
    )
  }
  for (const name of parts.keys()) {
    if (name.length > MAX_NAME_LENGTH) {
      throw new KkError('KK_ENVIRONMENT', `${place}: ${name} is longer than ${MAX_NAME_LENGTH} characters`, {
        hint: `give ${section} a shorter name`,
      })
    }
    if (!sections.has(name) && !releases.has(name)) continue
    const existing = placeIn(
      file,
      environment.position([name]) ?? environment.position(['kk', 'releases', name]),
    )
    throw new KkError(
      'KK_ENVIRONMENT',
      `${existing}: ${name} is one of the releases that ${section} becomes (kk.releases.${section}.components)`,
      {hint: `its values and settings are those of ${section}: specify them there`},
    )
  }
  return parts
}

function placeIn(file: string, at: Position | undefined): string {
  return at ? `${at.file}:${at.line}:${at.column}` : file
}
