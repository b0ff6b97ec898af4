import {expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {withRefusals} from '../../../src/doctor/charts/refusals.ts'
import {identity} from '../../../src/doctor/charts/same-object.ts'
import type {ValidateOptions} from '../../../src/kubernetes/dry-run/dry-runs.ts'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {port} from '../../kubernetes/support/port.ts'

const config = (name: string, data: object, annotations = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {name, annotations},
  data,
})

/** `kept`, `changed` and `hook` are deployed, the last two with another content. */
function compared() {
  const rendered = (content: object) =>
    [
      config('kept', {}),
      config('changed', content),
      config('hook', content, {'helm.sh/hook': 'pre-upgrade'}),
    ].map((object) => ({object, file: 'x'}))
  const deployed = {revision: 1, objects: rendered({a: '1'}), upgrade: rendered({a: '2'})}
  return [{release: 'openstack/x' as const, objects: [], atFirst: [], secondRender: [], next: [], deployed}]
}

it('refusals are requested for changed objects only, shortened to one line, and masked', async () => {
  const asked: string[] = []
  const validate = async ({objects, redact}: ValidateOptions) => {
    asked.push(...objects.map(({metadata}) => metadata.name))
    const message = redact!('no, not with topsecret-1\nConfigMap{…}')
    return objects.map(() => ({object: '', outcome: 'refused' as const, message}))
  }
  const valuesOf = () => ({auth: {password: 'topsecret-1'}})

  const [found] = await withRefusals(compared(), {
    cluster: {
      dryRuns: port({validate}),
    },
    valuesOf,
  })

  expect(asked).toEqual(['changed'])
  expect(found!.deployed!.refusals).toEqual(
    new Map([[identity(config('changed', {}), 'openstack/x'), 'no, not with ***']]),
  )
})

it('refusals are unknown if the user may not run dry runs', async () => {
  const validate = async () => {
    throw new KkError('KK_FORBIDDEN', 'may not patch configmaps')
  }

  const [found] = await withRefusals(compared(), {
    cluster: {
      dryRuns: port({validate}),
    },
    valuesOf: () => ({}),
  })

  expect(found!.deployed!.refusals).toBeUndefined()
})
