import {join} from 'node:path'
import {expect, it} from 'vitest'
import {readChart} from '../../../../src/charts/read-chart.ts'
import {valuesDiffer} from '../../../../src/doctor/charts/checks/values-differ.ts'
import {renderedObjects} from '../../../../src/kubernetes/manifest/manifest.ts'
import {releaseId} from '../../../../src/release.ts'

const KEYSTONE = releaseId('openstack', 'keystone')
const MARIADB = releaseId('openstack', 'mariadb')
const OTHER = releaseId('openstack', 'other')

it('an unused wait in values is not reported if a rendered object waits for a Service without a provider', () => {
  expect(found('openstack:mariadb')).toEqual([])
  expect(found('')).not.toEqual([])
})

/** What a component says to wait for mariadb, with the Services that its init container waits for. */
function found(services: string) {
  const directory = join(import.meta.dirname, '../../../fixtures/unannotated')
  const release = (name: string) => ({chart: readChart(join(directory, name)), layers: []})
  const edge = {
    from: KEYSTONE,
    to: OTHER,
    kind: 'ready',
    evidence: [{source: 'inferred', file: 'x', text: 'x'}],
  }
  const prepared = {
    graph: {releases: [KEYSTONE], requirements: new Map([[KEYSTONE, [edge]]])},
    releases: new Map([
      [KEYSTONE, release('keystone')],
      [MARIADB, release('mariadb')],
    ]),
  } as unknown as Parameters<typeof valuesDiffer>[0]
  const objects = renderedObjects(
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {name: 'keystone-api'},
      spec: {
        template: {
          spec: {initContainers: [{name: 'init', env: [{name: 'DEPENDENCY_SERVICE', value: services}]}]},
        },
      },
    }),
  )
  return valuesDiffer(prepared, [{release: KEYSTONE, objects}])
}
