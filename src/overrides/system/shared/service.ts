import type {SpokenChart} from '../../../charts/dialect.ts'
import type {Values} from '../../../release.ts'
import type {FactName, Facts} from '../../facts/facts.ts'
import {isMap} from '../../merge.ts'
import {compose, given} from './compose.ts'
import {API, limits, type Share} from './limits.ts'
import {isPublicService, type PublicService, publicEndpoints} from './public-endpoints.ts'
import {replicas} from './replicas.ts'
import {belowGlobal, clusterDomain} from './trees.ts'
import {spread} from './zones.ts'

/** The facts that decide over every OpenStack service of openstack-helm's tree. */
export const SERVICE_FACTS = [
  'controllers',
  'zones',
  'publicDomain',
  'tls',
  'allInOne',
] as const satisfies readonly FactName[]

/** The same for services of kk's own. */
export const KK_FACTS = [...SERVICE_FACTS, 'region', 'dnsDomain'] as const satisfies readonly FactName[]

interface Service {
  /** Components of which there is one per controller. */
  readonly perController: readonly string[]
  /** Endpoints of its own; that of the identity service is known to all. */
  readonly serves: readonly PublicService[]
  readonly shares: Readonly<Record<string, Share>>
}

/** What an OpenStack service gets by being one; what is its own, its plugin lays over it. */
export function service(
  facts: Pick<Facts, (typeof SERVICE_FACTS)[number]>,
  {perController, serves, shares}: Service,
): Values {
  return compose(
    replicas(facts.controllers, perController),
    spread(facts),
    limits(facts.allInOne, shares),
    publicEndpoints(facts, ['identity', ...serves]),
  )
}

/** What kk's own charts of services read below `global`. */
export function serviceBelowGlobal(
  facts: Pick<Facts, 'region' | 'publicDomain' | 'tls' | 'dnsDomain'>,
  serves: Service['serves'],
): Values | undefined {
  return belowGlobal(
    given(facts.region, (region) => ({region})),
    publicEndpoints(facts, ['identity', ...serves]),
    clusterDomain(facts.dnsDomain),
  )
}

/**
 * What a chart of kk's own gets that nothing more is known of: its components that serve an endpoint and keep nothing are one
 * per controller.
 */
export function serviceOfKk(
  facts: Pick<Facts, (typeof KK_FACTS)[number]>,
  {values: {components}}: SpokenChart,
): Values {
  const all = Object.entries(isMap(components) ? components : {}).filter(([, each]) => isMap(each))
  const served = all.flatMap(([name, component]) => {
    const {endpoint, storage} = component as Values
    return typeof endpoint === 'string' && !storage ? [{name, endpoint}] : []
  })
  return compose(
    replicas(
      facts.controllers,
      served.map(({name}) => name),
    ),
    served.length > 0 ? spread(facts) : undefined,
    limits(facts.allInOne, Object.fromEntries(all.map(([name]) => [name, API]))),
    serviceBelowGlobal(facts, served.map(({endpoint}) => endpoint).filter(isPublicService)),
  )
}
