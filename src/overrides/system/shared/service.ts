import type {Values} from '../../../release.ts'
import type {FactName, Facts} from '../../facts/facts.ts'
import {compose, given} from './compose.ts'
import {limits, type Share} from './limits.ts'
import {type PublicService, publicEndpoints} from './public-endpoints.ts'
import {replicas} from './replicas.ts'
import {accountRegions, belowGlobal, busMembers, clusterDomain} from './trees.ts'
import {spread} from './zones.ts'

/** The facts that decide over every OpenStack service of openstack-helm's tree. */
export const SERVICE_FACTS = [
  'controllers',
  'zones',
  'region',
  'publicDomain',
  'tls',
  'dnsDomain',
  'allInOne',
] as const satisfies readonly FactName[]

interface Service {
  /** Components of which there is one per controller. */
  readonly perController: readonly string[]
  /** Accounts beside `admin` by which it logs in. */
  readonly accounts: readonly string[]
  /** Endpoints of its own; that of the identity service is known to all. */
  readonly serves: readonly PublicService[]
  readonly shares: Readonly<Record<string, Share>>
  /** It does not talk on the message bus. */
  readonly withoutBus?: boolean
}

/** What an OpenStack service gets by being one; what is its own, its plugin lays over it. */
export function service(
  facts: Pick<Facts, (typeof SERVICE_FACTS)[number]>,
  {perController, accounts, serves, shares, withoutBus = false}: Service,
): Values {
  return compose(
    replicas(facts.controllers, perController),
    spread(facts),
    limits(facts.allInOne, shares),
    accountRegions(facts.region, accounts),
    publicEndpoints(facts, ['identity', ...serves]),
    withoutBus ? undefined : busMembers(facts),
    clusterDomain(facts.dnsDomain),
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
