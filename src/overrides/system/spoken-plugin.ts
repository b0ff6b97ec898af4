import type {SpokenChart} from '../../charts/dialect.ts'
import type {Values} from '../../release.ts'
import type {FactName, Facts} from '../facts/facts.ts'
import {isMap} from '../merge.ts'
import {accountSecrets} from './accounts.ts'
import type {Plugin} from './plugin.ts'
import {isRead} from './reads.ts'
import {compose} from './shared/compose.ts'
import {KK_FACTS, serviceOfKk} from './shared/service.ts'
import {accountRegions, busMembers, clusterDomain} from './shared/trees.ts'

/** What is made for a chart, by its dialect and by what is known of its name; nothing for a chart of neither. */
export function spokenPlugin(chart: SpokenChart, own: Plugin | undefined): Plugin | undefined {
  const {name, dialect} = chart
  if (dialect === undefined) return undefined
  const declared = {
    chart: name,
    namespaces: own?.namespaces ?? ['openstack'],
    ...(own?.requires && {requires: own.requires}),
  }
  const accounts = accountSecrets(chart)
  if (dialect === 'kk') {
    const overrides: Plugin['overrides'] = own?.kk ?? ((facts) => serviceOfKk(facts, chart))
    return {...declared, reads: own?.kk ? own.reads : KK_FACTS, secrets: accounts, overrides}
  }
  const common = commonParts(chart)
  return {
    ...declared,
    reads: [...new Set([...(own?.reads ?? []), ...common.map(({fact}) => fact)])],
    secrets: [...accounts, ...(own?.secrets ?? []).filter(({path}) => isRead(chart, path))],
    overrides: async (facts, namespace) =>
      compose(await own?.overrides(facts, namespace), ...common.map(({make}) => make(facts))),
  }
}

interface CommonPart {
  readonly fact: FactName
  readonly make: (facts: Facts) => Values | undefined
}

/** What charts of openstack-helm get by what they declare, whatever they are. */
function commonParts({endpoints}: SpokenChart): readonly CommonPart[] {
  const {identity, oslo_messaging: bus} = endpoints
  const accounts = isMap(identity) && isMap(identity.auth) ? identity.auth : {}
  const users = Object.keys(accounts).filter((user) => isMap(accounts[user]))
  return [
    ...(Object.keys(endpoints).length > 0
      ? [{fact: 'dnsDomain', make: ({dnsDomain}: Facts) => clusterDomain(dnsDomain)} as const]
      : []),
    ...(users.length > 0
      ? [{fact: 'region', make: ({region}: Facts) => accountRegions(region, users)} as const]
      : []),
    ...(isMap(bus) && isMap(bus.statefulset) ? [{fact: 'controllers', make: busMembers} as const] : []),
  ]
}
