import type {Environment} from './environment.ts'

/** Where an environment puts releases of a chart: its default namespace, and those that releases of the chart state. */
export function namespacesOf(
  {namespace, releases}: Pick<Environment, 'namespace' | 'releases'>,
  chart: string,
): readonly string[] {
  const stated = [...releases].filter(([name, settings]) => (settings.chart ?? name) === chart)
  return [namespace, ...stated.flatMap(([, settings]) => settings.namespace ?? [])]
}
