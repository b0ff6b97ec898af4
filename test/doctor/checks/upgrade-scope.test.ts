import {expect, it} from 'vitest'
import {deployChange} from '../../../src/doctor/checks/change.ts'
import {GATED_LABEL, OWNER_LABEL, UNCHECKED_LABEL} from '../../../src/plan/labels.ts'
import {writeFiles} from '../../charts/support/write-files.ts'

const record = (name: string, gated: number, {status = 'deployed', labels = {}} = {}) =>
  [
    `openstack/${name}`,
    {
      ...{release: `openstack/${name}`, revision: 2, status},
      labels: {[OWNER_LABEL]: 'cloud', [GATED_LABEL]: String(gated), ...labels},
    },
  ] as const
const action = (name: string, ...required: readonly string[]) => ({
  ...{release: `openstack/${name}`, kind: 'check', revision: 2},
  requires: required.map((each) => ({release: `openstack/${each}`, kind: 'ready'})),
})

const deployment = (image: string) => ({
  ...{apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name: 'api'}},
  spec: {template: {spec: {containers: [{name: 'api', image}]}}},
})
const chart = {directory: writeFiles({'Chart.yaml': 'name: open\n'})}

/** The change of a plan that gives the release `open` this image instead of `api:1`. */
function changeTo(image: string) {
  const stored = {
    ...{release: 'openstack/open', revision: 2, status: 'deployed', hooks: []},
    manifest: JSON.stringify(deployment('api:1')),
  }
  return deployChange({
    prepared: {
      releases: new Map([['openstack/open', {chart, layers: [], desired: {release: 'openstack/open'}}]]),
      environment: {given: []},
    },
    plan: {
      actions: [
        ...['done', 'open', 'failed', 'unchecked'].map((name) => action(name)),
        action('user', 'done', 'open'),
        action('user-of-user', 'user'),
        action('other', 'done'),
        action('new'),
      ],
      bystanders: [],
    },
    rendered: new Map([['openstack/open', [deployment(image)]]]),
    previous: new Map([['openstack/open', [stored]]]),
    records: new Map([
      record('done', 2),
      record('open', 1),
      record('failed', 2, {status: 'failed'}),
      record('unchecked', 2, {labels: {[UNCHECKED_LABEL]: '2'}}),
      ...['user', 'user-of-user', 'other'].map((name) => record(name, 2)),
    ]),
    cluster: {},
  } as unknown as Parameters<typeof deployChange>[0])
}

it('an upgrade knows the releases whose last change has not ended, and those that require them', () => {
  const names = ['open', 'failed', 'unchecked', 'user', 'user-of-user']

  expect(changeTo('api:2').upgrade?.unfinished).toEqual(new Set(names.map((name) => `openstack/${name}`)))
})

it('an upgrade is near to what it changes, what that requires, and what requires that', () => {
  expect(changeTo('api:2').upgrade?.near).toEqual(new Set(['openstack/open', 'openstack/user']))
})

it('a change that replaces no image of a deployed release is no upgrade', () => {
  expect(changeTo('api:1').upgrade).toBeUndefined()
})
