import {expect, it} from 'vitest'
import {createJobOf} from '../../../src/kubernetes/objects/instantiate.ts'
import {json, scriptedServer} from '../support/api-server.ts'

const TERM = {matchExpressions: [{key: 'role', operator: 'In', values: ['control']}]}
const WITHOUT = {matchFields: [{key: 'metadata.name', operator: 'NotIn', values: ['dead']}]}

it.each([
  [
    'without an affinity',
    undefined,
    {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [WITHOUT]}}},
  ],
  [
    'with one',
    {
      podAntiAffinity: {},
      nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [TERM, TERM]}},
    },
    {
      podAntiAffinity: {},
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {...TERM, ...WITHOUT},
            {...TERM, ...WITHOUT},
          ],
        },
      },
    },
  ],
])('the Job of a CronJob %s runs on any node but the avoided one', async (_, affinity, expected) => {
  const spec = {containers: [{name: 'main'}], ...(affinity && {affinity})}
  const cronJob = {metadata: {name: 'c', uid: 'u'}, spec: {jobTemplate: {spec: {template: {spec}}}}}
  const {client, asked} = await scriptedServer(({method}, response) =>
    json(response, method === 'GET' ? cronJob : {}),
  )
  const job = {namespace: 'openstack', cronJob: 'c', job: 'j', variables: {}}

  await createJobOf(client, {...job, avoidedNode: 'dead'})
  await createJobOf(client, job)

  const specs = asked
    .filter(({method}) => method === 'POST')
    .map(({body}) => JSON.parse(body).spec.template.spec)
  expect(specs.map((each) => each.affinity)).toEqual([expected, affinity])
})
