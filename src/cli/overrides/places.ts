import {KkError} from '../../errors.ts'
import type {OverrideService} from '../../overrides/service.ts'
import type {Place} from './formats.ts'

/** The charts that the arguments mean: `CHART NAMESPACE`, or `CHART:NAMESPACE` as often as wanted. Throws `KK_USAGE`. */
export function namedPlaces(words: readonly string[]): readonly Place[] {
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

/** Every active chart in each of its namespaces. */
export async function allPlaces(service: OverrideService): Promise<readonly Place[]> {
  const charts = await service.charts()
  return charts.flatMap(({name, namespaces}) => namespaces.map((namespace) => ({name, namespace})))
}
