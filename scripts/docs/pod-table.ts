import {isMap, type Values} from '../../src/base/values.ts'
import {type OwnChart, readOwnCharts} from '../charts/read-charts.ts'
import {markdownTable} from './marked.ts'

/**
 * Returns the part of `docs/pods.md`: the privileges of each component, and of each job with more than the
 * others.
 */
export function podTable(): Record<string, string> {
  const rows = readOwnCharts().flatMap((chart) => {
    const {components = {}, jobs, cronjobs} = chart.values
    const special = Object.entries({...jobs, ...cronjobs}).filter(
      ([, unit]) => unit && (unit['rbac'] || unit['rollout'] || unit['host'] || unit['privileged']),
    )
    return [...Object.entries(components), ...special].map(([name, unit]) => rowOf(chart, name, unit))
  })
  return {
    pods: markdownTable(
      ['pod', 'user', 'starts with kolla_start', 'Kubernetes API', 'access to its node'],
      rows,
    ),
  }
}

function rowOf({name: chart, values}: OwnChart, name: string, unit: Values): readonly string[] {
  const {security = {}} = unit as {readonly security?: Security}
  const own = security.runAsUser
  const {name: user = 'root', id} =
    own === undefined ? (values.user ?? {}) : {name: own === 0 ? 'root' : 'nobody', id: own}
  const rules = isMap(unit.rbac) ? Object.values(unit.rbac).filter(isMap) : []
  const rolled = Array.isArray(unit.rollout) ? unit.rollout.filter((key) => typeof key === 'string') : []
  const kindOf = (key: string) => `${values.components?.[key]?.kind ?? 'Deployment'}s`.toLowerCase()
  const rollout = [...Map.groupBy(rolled, kindOf)].map(([kind, keys]) => rule(['get'], [kind], keys))
  const asked = [
    ...rules.map(({verbs, resources, resourceNames}) => rule(verbs, resources, resourceNames)),
    ...rollout,
  ]
  return [
    `${chart} \`${name}\``,
    id === undefined ? user : `${user} (${id})`,
    unit.script === undefined ? 'yes' : 'no',
    asked.join('; ') || 'nothing',
    ofNode(unit, security).join(', '),
  ]
}

interface Security {
  readonly runAsUser?: number
  readonly capabilities?: {readonly add?: readonly string[]}
}

/** The capabilities that kolla's start needs. */
const OF_START = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'KILL',
  'NET_BIND_SERVICE',
  'SETGID',
  'SETUID',
]

/** A pod's access to its node: namespaces, capabilities in addition to those of its start, directories. */
function ofNode({privileged, host, volumes}: Values, {capabilities = {}}: Security): readonly string[] {
  const shared = Object.entries(isMap(host) ? host : {}).flatMap(([what, is]) => (is ? [what] : []))
  const more = (capabilities.add ?? []).filter((name) => !OF_START.includes(name))
  const mounted = Object.values(isMap(volumes) ? volumes : {}).flatMap((volume) =>
    isMap(volume) && typeof volume.host === 'string' ? [volume.host] : [],
  )
  return [
    ...(privileged ? ['privileged'] : []),
    ...shared,
    ...[...more, ...mounted].map((word) => `\`${word}\``),
  ]
}

function rule(verbs: unknown, resources: unknown, names: unknown = []): string {
  const list = (words: unknown) =>
    [words]
      .flat()
      .map((word) => `\`${isMap(word) ? Object.values(word).join() : word}\``)
      .join(', ')
  return `${list(verbs)} of ${[resources].flat().join(', ')} ${list(names)}`.trim()
}
