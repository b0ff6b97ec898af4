import {isMap, type Values} from '../../src/release.ts'
import {type OwnChart, readOwnCharts} from '../charts/read-charts.ts'
import {markdownTable} from './marked.ts'

/** Returns the part of `docs/pods.md`: what the facts of the charts let each component do, and each job that may more than others. */
export function podTable(): Record<string, string> {
  const rows = readOwnCharts().flatMap((chart) => {
    const {components = {}, jobs, cronjobs} = chart.values
    const special = Object.entries({...jobs, ...cronjobs}).filter(
      ([, unit]) => unit && (unit['rbac'] || unit['rollout'] || unit['host'] || unit['privileged']),
    )
    return [...Object.entries(components), ...special].map(([name, unit]) => rowOf(chart, name, unit))
  })
  return {
    pods: markdownTable(['pod', 'user', 'starts as kolla does', 'may ask Kubernetes', 'on its node'], rows),
  }
}

function rowOf({name: chart, values}: OwnChart, name: string, unit: Values): readonly string[] {
  const {name: user = 'root', id} = values.user ?? {}
  const rules = isMap(unit.rbac) ? Object.values(unit.rbac).filter(isMap) : []
  const rolled = Array.isArray(unit.rollout) ? unit.rollout.filter((key) => typeof key === 'string') : []
  const kindOf = (key: string) => `${values.components?.[key]?.kind ?? 'Deployment'}s`.toLowerCase()
  const rollout = [...Map.groupBy(rolled, kindOf)].map(([kind, keys]) => rule(['get'], [kind], keys))
  const asked = [
    ...rules.map(({verbs, resources, resourceNames}) => rule(verbs, resources, resourceNames)),
    ...rollout,
  ]
  const shared = Object.entries(isMap(unit.host) ? unit.host : {}).flatMap(([what, is]) => (is ? [what] : []))
  return [
    `${chart} \`${name}\``,
    id === undefined ? user : `${user} (${id})`,
    unit.script === undefined ? 'yes' : 'no',
    asked.join('; ') || 'nothing',
    [...(unit.privileged ? ['privileged'] : []), ...shared].join(', '),
  ]
}

function rule(verbs: unknown, resources: unknown, names: unknown = []): string {
  const list = (words: unknown) =>
    [words]
      .flat()
      .map((word) => `\`${word}\``)
      .join(', ')
  return `${list(verbs)} of ${[resources].flat().join(', ')} ${list(names)}`.trim()
}
