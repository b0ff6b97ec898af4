import {expect, it} from 'vitest'
import {deployChange} from '../../../src/doctor/checks/change.ts'
import {GATED_LABEL, OWNER_LABEL, UNCHECKED_LABEL} from '../../../src/plan/labels.ts'

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

it('an upgrade knows the releases whose last change has not ended, and those that require them', () => {
  const {upgrade} = deployChange({
    prepared: {releases: new Map(), environment: {given: []}},
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
    rendered: new Map(),
    previous: new Map(),
    records: new Map([
      record('done', 2),
      record('open', 1),
      record('failed', 2, {status: 'failed'}),
      record('unchecked', 2, {labels: {[UNCHECKED_LABEL]: '2'}}),
      ...['user', 'user-of-user', 'other'].map((name) => record(name, 2)),
    ]),
    cluster: {},
  } as unknown as Parameters<typeof deployChange>[0])

  const names = ['open', 'failed', 'unchecked', 'user', 'user-of-user']
  expect(upgrade?.unfinished).toEqual(new Set(names.map((name) => `openstack/${name}`)))
})
