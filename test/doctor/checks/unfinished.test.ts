import {expect, it} from 'vitest'
import {deployChange} from '../../../src/doctor/checks/change.ts'
import {GATED_LABEL, OWNER_LABEL} from '../../../src/plan/labels.ts'

const stored = (name: string, gated: number, status = 'deployed') => [
  {
    ...{release: `openstack/${name}`, revision: 2, status, manifest: '', hooks: []},
    labels: {[OWNER_LABEL]: 'cloud', [GATED_LABEL]: String(gated)},
  },
]

it('a change knows the releases whose last change has not ended', () => {
  const action = (name: string, kind = 'upgrade') => ({release: `openstack/${name}`, kind, requires: []})
  const previous = {
    done: stored('done', 2),
    open: stored('open', 1),
    failed: stored('failed', 2, 'failed'),
  }
  const actions = [...Object.keys(previous).map((name) => action(name)), action('waiting', 'await')]

  const {unfinished} = deployChange({
    prepared: {releases: new Map(), environment: {given: []}},
    plan: {actions: [...actions, action('new', 'install')], bystanders: []},
    rendered: new Map(),
    previous: new Map(Object.entries(previous).map(([name, each]) => [`openstack/${name}`, each])),
    cluster: {},
  } as unknown as Parameters<typeof deployChange>[0])

  expect(unfinished).toEqual(['openstack/open', 'openstack/failed', 'openstack/waiting'])
})
