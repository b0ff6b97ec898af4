import {expect, it} from 'vitest'
import {palette} from '../../src/report/colour.ts'
import {guardOfferText, guardPlanText, guardStatusText} from '../../src/report/guard-text.ts'
import {viewText} from '../../src/report/text/view.ts'
import type {GuardStatus} from '../../src/verbs/guard.ts'

const PLAIN = palette(0)

const SOUND: GuardStatus = {
  supported: true,
  installed: true,
  enforced: true,
  faults: [],
  releases: [
    {release: 'openstack/mariadb', guarded: true},
    {release: 'openstack/rabbitmq', guarded: false},
  ],
  approvals: [
    {
      release: 'openstack/mariadb',
      expires: 1_795_253_842,
      by: 'operator@laptop',
      objects: [{kind: 'StatefulSet', namespace: 'openstack', name: 'mariadb-server', uid: 'b3a1'}],
      state: 'open',
    },
  ],
}

it.each<[string, Partial<GuardStatus>, string]>([
  [
    'a sound guard',
    {},
    `the guard is on
  openstack/mariadb   guarded
  openstack/rabbitmq  protected, but not guarded: run kk guard install again
approved: openstack/mariadb until 2026-11-21T09:37:22Z, by operator@laptop
    StatefulSet openstack/mariadb-server
`,
  ],
  [
    'a broken guard',
    {enforced: false, faults: ['ConfigMap kk-system/kk-guard is missing'], releases: [], approvals: []},
    `the guard is broken; kk guard install repairs it
  ! the API server does not enforce it
  ! ConfigMap kk-system/kk-guard is missing
`,
  ],
  [
    'no guard',
    {installed: false, approvals: []},
    `there is no guard
not guarded: openstack/mariadb, openstack/rabbitmq
install it with: kk guard install
`,
  ],
  [
    'an old cluster',
    {supported: false},
    'this cluster cannot have a guard: it needs Kubernetes 1.30 or newer\n',
  ],
])('the status of the guard is shown for %s', (_, change, text) => {
  expect(viewText(guardStatusText({...SOUND, ...change}, PLAIN))).toBe(text)
})

it('the plan of a guard shows added and removed protections', () => {
  const parameters = {releases: ['a/db', 'a/new'] as const, claims: new Map(), approvals: []}

  const text = guardPlanText(
    {parameters, resourceVersion: '', added: ['a/new'], dropped: ['a/old']},
    'production',
    PLAIN,
  )

  expect(text).toBe(`guard of production: 2 protected releases
    a/db
  + a/new
  - a/old  no longer protected, or not installed: it will not be guarded
`)
})

it('the suggestion to install a guard is one line with the command', () => {
  expect(guardOfferText(['openstack/mariadb', 'openstack/rabbitmq'], 'cloud.yaml --sandbox', PLAIN)).toBe(
    'hint: mariadb, rabbitmq are protected, but helm and kubectl would still delete them; to prevent that: kk guard install cloud.yaml --sandbox\n',
  )
})
