import type {Values} from '../../../base/values.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {osloListens, SERVICE_FACTS, service} from '../shared/service.ts'
import {API, workers} from '../shared/sizing.ts'

/** StarlingX's fault manager: its API. */
export const plugin = definePlugin({
  chart: 'fm',
  reads: [...SERVICE_FACTS, 'cpus', 'ipFamily'],
  overrides: (facts) =>
    compose(service(facts, {serves: ['faultmanagement'], shares: {api: API}}), api(facts)),
})

/** Returns the processes of the API, and the address on which it listens. */
export function api(facts: Pick<Facts, 'cpus' | 'allInOne' | 'ipFamily'>): Values {
  return compose(
    ifKnown(workers(facts), (count) => ({conf: {fm: {api: {api_workers: count}}}})),
    osloListens(facts.ipFamily, {fm: {api: ['bind_host']}}),
  )
}
