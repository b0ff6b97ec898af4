import {join} from 'node:path'
import {beforeAll, expect, it} from 'vitest'
import {waitFor} from './support/cluster.ts'
import {done} from './support/guarded.ts'
import {type OperatedCluster, startOperatedCluster} from './support/operator.ts'

const CHARTS = join(import.meta.dirname, '../../charts')

let cluster: OperatedCluster
beforeAll(async () => {
  cluster = await startOperatedCluster(1)
  return () => cluster.end()
})

it('the operator creates cluster-scoped objects only with the rights for them', async () => {
  const environment = cluster.environment()
  const {name} = environment
  await cluster.start()
  const kk = {namespace: name, charts: [CHARTS], releases: {ovn: {without: ['openvswitch']}}}
  await environment.apply(JSON.stringify({kk, ovn: {}}))
  const refused = await waitFor(
    async () => {
      const {status} = await environment.read()
      return status?.conditions?.find(({type, message}) => type === 'Ready' && /may not/.test(message))
    },
    {until: 'the plan is refused'},
  )

  await cluster.install('--cluster-objects')
  await done(cluster.operator('retry', name))
  await environment.has('Ready', 'True')

  expect(refused.message).toMatch(new RegExp(`clusterrole(binding)?s/${name}-ovn-controller`))
  await done(cluster.kubectl('get', 'clusterrole', `${name}-ovn-controller`))
  await cluster.install()
  const {exitCode, stderr} = await cluster.kubectl('get', 'clusterrole', 'kk-operator-charts')
  expect(exitCode, stderr).toBe(1)
  expect(stderr).toContain('not found')
})
