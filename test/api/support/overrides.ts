import {join} from 'node:path'
import type {ServiceFor} from '../../../src/api/helm-chart-routes.ts'
import type {Facts} from '../../../src/overrides/facts/facts.ts'
import {builtInPlugins} from '../../../src/overrides/system/plugins.ts'
import {openStore} from '../../../src/overrides/user/open.ts'
import type {OverrideStore} from '../../../src/overrides/user/store.ts'
import {localOverrides} from '../../../src/verbs/overrides/local-overrides.ts'
import {factsBase} from '../../../src/verbs/overrides/override-base.ts'
import {testDirectory} from '../../support/test-directory.ts'

const FACTS: Facts = {
  controllers: 1,
  publicDomain: 'cloud.example.org',
  charts: {ingress: ['kube-system', 'openstack'], rabbitmq: ['openstack']},
}

export interface TestOverrides {
  readonly serviceFor: ServiceFor
  readonly store: OverrideStore
  remove(): Promise<void>
}

/** Overrides of rabbitmq and ingress, with system overrides for one controller, in a store of their own. */
export async function testOverrides(): Promise<TestOverrides> {
  const directory = testDirectory()
  const store = await openStore({location: join(directory, 'store.sqlite'), env: {}})
  const base = factsBase({facts: FACTS, plugins: builtInPlugins()})
  return {
    serviceFor: localOverrides({base, store, allowSecrets: false}),
    store,
    async remove() {
      await store.close()
    },
  }
}
