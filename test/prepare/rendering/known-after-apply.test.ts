import {describe, expect, it} from 'vitest'
import {factsOfObjects} from '../../../src/prepare/inference/manifests/facts-of.ts'
import {
  customResources,
  customResourcesInFacts,
  knownAfterApply,
} from '../../../src/prepare/rendering/known-after-apply.ts'
import {id} from '../../graph/graph-of.ts'
import {port} from '../../kubernetes/support/port.ts'

const CACHE = {apiVersion: 'a.org/v1', kind: 'Cache', metadata: {name: 'one'}}
const SECRET = {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'one'}}
const WAITING = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {name: 'init'},
  spec: {
    template: {
      spec: {
        initContainers: [
          {
            name: 'init',
            env: [
              {
                name: 'DEPENDENCY_CUSTOM_RESOURCE',
                value: '[{"apiVersion":"a.org/v1","kind":"Cache","name":"one"}]',
              },
            ],
          },
        ],
      },
    },
  },
}
const RESOURCE = {kind: 'a.org/v1/Cache', object: 'Cache/one'}

describe('the custom resources of a chart', () => {
  it.each([
    {from: 'what is rendered', found: customResources([CACHE, SECRET, WAITING])},
    {
      from: 'what is known of an earlier render',
      found: customResourcesInFacts(
        factsOfObjects(
          [CACHE, SECRET, WAITING].map((object) => ({object, file: 'all.yaml'})),
          'openstack',
        ),
      ),
    },
  ])('are found in $from, without objects that only wait for one', ({found}) => {
    expect(found).toEqual([RESOURCE])
  })
})

describe('known after apply', () => {
  const resources = new Map([[id('cache'), [RESOURCE]]])
  const brought = ['a.org/v1/Cache']
  const later = (served: readonly string[], kinds = brought) =>
    knownAfterApply(resources, {
      cluster: {
        apiServer: port({customKinds: async () => served}),
      },
      brought: new Set(kinds),
    })

  it.each([
    {of: 'another kind', served: ['a.org/v1/Other']},
    {of: 'the kind of another group', served: ['b.org/v1/Cache']},
    {of: 'another version', served: ['a.org/v2/Cache']},
  ])('is a custom resource whose kind the plan adds, on a cluster with $of', async ({served}) => {
    await expect(later(served)).resolves.toEqual([{release: id('cache'), object: 'Cache/one'}])
  })

  it('excludes custom resources whose kind is served', async () => {
    await expect(later(['a.org/v1/Cache'])).resolves.toEqual([])
  })

  it('excludes custom resources whose kind nothing adds, without a request to the cluster', async () => {
    const customKinds = () => Promise.reject(new Error('asked'))

    await expect(
      knownAfterApply(resources, {
        cluster: {
          apiServer: port({customKinds}),
        },
        brought: new Set(),
      }),
    ).resolves.toEqual([])
  })
})
