import {KkError} from '../../base/errors.ts'
import type {OverrideService} from '../../overrides/service.ts'
import {unknownChart} from '../../overrides/system/active.ts'
import type {ChartPlace} from '../../overrides/user/store.ts'

/** Parses the arguments `CHART NAMESPACE`, or any number of `CHART:NAMESPACE`. Throws `KK_USAGE`. */
export function namedPlaces(words: readonly string[]): readonly ChartPlace[] {
  const [name, namespace] = words
  if (words.length === 2 && name && namespace && !words.some((word) => word.includes(':')))
    return [{name, namespace}]
  const places = words.map((word) => word.split(':'))
  if (words.length > 0 && places.every((parts) => parts.length === 2 && parts.every((part) => part !== '')))
    return places.map(([chart, where]) => ({name: chart!, namespace: where!}))
  throw new KkError('KK_USAGE', 'expected a chart and its namespace', {
    hint: 'for example "rabbitmq openstack", or several as "rabbitmq:openstack ingress:kube-system"',
  })
}

/** A chart with an optional namespace. */
export interface NamedChart {
  readonly name: string
  readonly namespace?: string | undefined
}

/**
 * Returns the chart with its namespace. Throws `KK_USAGE` if it is omitted and the chart has several, and
 * `KK_UNKNOWN_CHART`.
 */
export async function placeOfChart(
  service: Pick<OverrideService, 'charts'>,
  {name, namespace}: NamedChart,
): Promise<ChartPlace> {
  if (namespace !== undefined) return {name, namespace}
  const charts = await service.charts()
  const namespaces = charts.find((each) => each.name === name)?.namespaces
  if (!namespaces) {
    const names = charts.map((each) => each.name)
    throw unknownChart(`no chart ${name} is active`, name, names)
  }
  const [only, ...more] = namespaces
  if (only !== undefined && more.length === 0) return {name, namespace: only}
  throw new KkError(
    'KK_USAGE',
    `the chart ${name} is in ${namespaces.join(' and ')}: expected one namespace`,
    {
      hint: `for example "${name} ${only}"`,
    },
  )
}

/** Returns every active chart in each of its namespaces. */
export async function allPlaces(service: OverrideService): Promise<readonly ChartPlace[]> {
  const charts = await service.charts()
  return charts.flatMap(({name, namespaces}) => namespaces.map((namespace) => ({name, namespace})))
}
