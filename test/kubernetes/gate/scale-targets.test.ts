import {expect, it} from 'vitest'
import type {Resource} from '../../../src/kubernetes/api/resources.ts'
import {listScaleTargets} from '../../../src/kubernetes/gate/scale-targets.ts'
import {json, refuse, scriptedServer} from '../support/api-server.ts'

const KEDA: Resource = {
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  plural: 'scaledobjects',
  namespaced: true,
}
const scaling = (name: string, kind?: string, spec = {}) => ({
  metadata: {name},
  spec: {scaleTargetRef: {name, ...(kind && {kind})}, ...spec},
})

/** The targets where these are listed, and KEDA is installed or not. */
async function targets(lists: Readonly<Record<string, readonly object[] | number>>, keda?: Resource) {
  const {client} = await scriptedServer(({path}, response) => {
    const found = lists[path.split('/').at(-1)!]
    if (typeof found === 'number') return refuse(response, found, 'no')
    json(response, {metadata: {resourceVersion: '1'}, items: found ?? []})
  })
  return listScaleTargets(client, {find: async () => keda}, 'openstack')
}

it('a workload is scaled by a HorizontalPodAutoscaler, or by an object of KEDA, whose target is a Deployment if it states no kind', async () => {
  const lists = {
    horizontalpodautoscalers: [scaling('db', 'StatefulSet')],
    scaledobjects: [scaling('web'), scaling('queue', 'StatefulSet')],
  }

  expect(await targets(lists)).toEqual([{kind: 'StatefulSet', name: 'db', fromZero: false}])
  expect(await targets(lists, KEDA)).toEqual([
    {kind: 'StatefulSet', name: 'db', fromZero: false},
    {kind: 'Deployment', name: 'web', fromZero: true},
    {kind: 'StatefulSet', name: 'queue', fromZero: true},
  ])
})

it('a HorizontalPodAutoscaler scales up from 0 only if it may scale down to 0', async () => {
  const lists = {
    horizontalpodautoscalers: [
      scaling('web', 'Deployment', {minReplicas: 1}),
      scaling('idle', 'Deployment', {minReplicas: 0}),
    ],
  }

  expect(await targets(lists)).toMatchObject([
    {name: 'web', fromZero: false},
    {name: 'idle', fromZero: true},
  ])
})

it('autoscalers that may not be listed are ignored', async () => {
  expect(await targets({horizontalpodautoscalers: 403})).toEqual([])
})
