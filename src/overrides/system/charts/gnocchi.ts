import type {Values} from '../../../base/values.ts'
import type {Facts} from '../../facts/facts.ts'
import {definePlugin} from '../plugin.ts'
import {compose, ifKnown} from '../shared/compose.ts'
import {KK_FACTS, kkService, service} from '../shared/service.ts'
import {AGENT, API, fixed, workers} from '../shared/sizing.ts'
import {storageOfClient} from '../shared/storage.ts'
import {belowGlobal} from '../shared/trees.ts'

const SHARES = {api: API, metricd: AGENT, statsd: AGENT}

export const plugin = definePlugin({
  chart: 'gnocchi',
  reads: [...KK_FACTS, 'cpus', 'storage', 'ceph', 'ipFamily'],
  kk: (facts) =>
    compose(
      kkService(facts, {serves: ['metric'], shares: SHARES, wsgi: {gnocchi_api_uwsgi: 8041}}),
      ifKnown(workers(facts), (count) => ({conf: {gnocchi: {metricd: {workers: count}}}})),
      ifKnown(facts.ceph, () => belowGlobal(storageOfClient(facts))),
    ),
  overrides: (facts) =>
    compose(
      service(facts, {perController: ['api'], serves: ['metric'], shares: SHARES}),
      ifKnown(workers(facts), (count) => ({conf: {gnocchi: {metricd: {workers: count}}}})),
      measures(facts),
    ),
})

/**
 * Returns the values of the store of measures. Files belong to one machine, so there is one API and no pool
 * to make.
 */
function measures({
  storage,
  ceph,
  controllers,
}: Pick<Facts, 'storage' | 'ceph' | 'controllers'>): Values | undefined {
  return ifKnown(storage, (kind) => {
    if (kind === 'ceph') {
      const ceph_username = ceph?.user ?? 'gnocchi'
      return {conf: {gnocchi: {storage: {driver: 'ceph', ceph_pool: 'gnocchi.metrics', ceph_username}}}}
    }
    return compose(
      {
        conf: {gnocchi: {storage: {driver: 'file', file_basepath: '/var/lib/gnocchi'}}},
        manifests: {job_storage_init: false},
      },
      fixed(controllers, 'api', 1),
    )
  })
}
