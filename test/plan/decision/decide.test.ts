import {expect, test} from 'vitest'
import {decide} from '../../../src/plan/decision/decide.ts'
import type {Evidence} from '../../../src/plan/pending/evidence.ts'
import {id} from '../../graph/graph-of.ts'
import {bareRecord, desiredOf, type Recorded, recordOf, type Wanted} from '../fixtures.ts'

const before: Wanted = {
  requires: ['mariadb', 'memcached'],
  layers: {section: {replicas: 1}, global: {global: {region: 'RegionOne'}}},
}

test('a release without a record is installed', () => {
  const result = decide(desiredOf('keystone'), undefined, 'all-in-one.yaml')

  expect(result).toEqual({kind: 'install', reasons: ['not installed']})
})

test.each<{after: Wanted; kind: string; reasons: string[]}>([
  {after: before, kind: 'unchanged', reasons: []},
  {
    after: {...before, layers: {...before.layers, section: {replicas: 3}}},
    kind: 'upgrade',
    reasons: ['section keystone of all-in-one.yaml changed'],
  },
  {
    after: {...before, layers: {section: {replicas: 1}}},
    kind: 'upgrade',
    reasons: ['global of all-in-one.yaml changed'],
  },
  {
    after: {...before, layers: {...before.layers, set: {debug: true}, features: {a: 1}}},
    kind: 'upgrade',
    reasons: ['feature files changed', '--set changed'],
  },
  {after: {...before, chartDigest: 'other'}, kind: 'upgrade', reasons: ['chart files changed']},
  {after: {...before, version: '0.2.0'}, kind: 'upgrade', reasons: ['chart version 0.1.0 → 0.2.0']},
  {
    after: {...before, requires: ['mariadb', 'neutron:applied']},
    kind: 'relabel',
    reasons: ['now requires neutron applied, 1 requirement dropped'],
  },
  {
    after: {...before, requires: ['mariadb', 'memcached:applied']},
    kind: 'relabel',
    reasons: ['now requires memcached applied'],
  },
  {
    after: {...before, stated: false, protected: true},
    kind: 'relabel',
    reasons: ['no longer stated in a section, only required', 'now protected'],
  },
  {
    after: {...before, requires: [], chartDigest: 'other'},
    kind: 'upgrade',
    reasons: ['chart files changed', '2 requirements dropped'],
  },
])('$kind because $reasons', ({after, kind, reasons}) => {
  const record = recordOf(desiredOf('keystone', before))

  const result = decide(desiredOf('keystone', after), record, 'environments/all-in-one.yaml')

  expect(result).toEqual({kind, reasons})
})

test('upgrade because the record has other flags that change rendering', () => {
  const keystone = desiredOf('keystone', before)
  const record = recordOf(keystone)
  const labels = {...record.labels, 'layer.kk.openstack.org/flags': '0123456789ab'}

  const result = decide(keystone, {...record, labels}, 'all-in-one.yaml')

  expect(result).toEqual({kind: 'upgrade', reasons: ['flags that change rendering changed']})
})

test('a rollback that was killed before it labelled its revision does not count as a change by another helm', () => {
  const keystone = desiredOf('keystone', before)
  const record = {...recordOf(keystone, {revision: 3, written: 1}), copiedBy: 'r7'}

  expect(decide(keystone, record, 'all-in-one.yaml').reasons).toEqual([
    'revision 3 is of a rollback of run r7, which was killed',
  ])
})

test.each<{recorded: Recorded; kind: string; reasons: string[]}>([
  {recorded: {gated: undefined}, kind: 'await', reasons: ['revision 2 has not passed its gate']},
  {recorded: {gated: 1}, kind: 'await', reasons: ['revision 2 has not passed its gate']},
  {
    recorded: {revision: 3, written: 2, gated: 2},
    kind: 'upgrade',
    reasons: ['changed outside kk (revision 3, kk last wrote 2)'],
  },
  {recorded: {revision: 1, status: 'failed'}, kind: 'upgrade', reasons: ['last revision failed']},
  {recorded: {status: 'superseded'}, kind: 'upgrade', reasons: ['last revision is superseded']},
])('$kind with equal inputs because $reasons', ({recorded, kind, reasons}) => {
  const keystone = desiredOf('keystone', before)

  const result = decide(keystone, recordOf(keystone, recorded), 'all-in-one.yaml')

  expect(result).toEqual({kind, reasons})
})

const LOST =
  'hooks of the install were not seen to complete in revision 1 (Job/migrate), and an upgrade does not run them: installed over what is there'

test('a release is installed again if hooks that only an install runs have not completed', () => {
  const keystone = desiredOf('keystone', before)
  const record = {...recordOf(keystone, {revision: 1, status: 'failed'}), lostHooks: ['Job/migrate']}

  const result = decide(keystone, record, 'all-in-one.yaml')

  expect(result).toEqual({kind: 'install', reasons: [LOST]})
})

test('an install that was interrupted at its hooks is marked failed, then repeated', () => {
  const keystone = desiredOf('keystone', before)
  const evidence = {state: 'stale', why: 'whose helm is gone', run: 'run-1'} as const
  const cut = {...recordOf(keystone, {revision: 1, status: 'pending-install'}), evidence}

  const result = decide(keystone, {...cut, lostHooks: ['Job/migrate']}, 'all-in-one.yaml')

  expect(result).toEqual({
    kind: 'install',
    reasons: ['revision 1 was left pending-install by run run-1, whose helm is gone: marked failed', LOST],
    recovers: 'pending-install',
  })
})

const foreign: Evidence = {state: 'foreign'}
const here = {pid: 4711, run: 'run-1'}

test.each<{status: string; evidence?: Evidence; says: string; hint: RegExp}>([
  {status: 'pending-install', says: '', hint: /kk unlock keystone --revision 2/},
  {
    status: 'pending-upgrade',
    evidence: foreign,
    says: ', and nothing shows that kk did it',
    hint: /kk unlock keystone --revision 2/,
  },
  {
    status: 'pending-rollback',
    evidence: {state: 'running', by: 'kk', alone: false, ...here},
    says: ': kk (process 4711) of run run-1 is working on it',
    hint: /run run-1 is working on it: wait until that has ended/,
  },
  {
    status: 'pending-upgrade',
    evidence: {state: 'unknown', until: Date.UTC(2026, 10, 21), holder: 'ada@laptop', run: 'run-1'},
    says: ', by run run-1',
    hint: /held by ada@laptop.*after 2026-11-21T00:00:00.000Z kk deploy recovers it/,
  },
  {
    status: 'uninstalling',
    evidence: foreign,
    says: ', and nothing shows that kk did it',
    hint: /kk remove keystone/,
  },
  {status: 'unknown', says: '', hint: /helm history keystone -n openstack/},
])('a release that is $status ($evidence.state) is refused', ({status, evidence, says, hint}) => {
  const keystone = desiredOf('keystone')
  const record = {...recordOf(keystone, {status}), ...(evidence && {evidence})}

  const act = () => decide(keystone, record, 'all-in-one.yaml')

  expect(act).toThrow(
    expect.objectContaining({
      code: 'KK_PENDING',
      exit: 3,
      message: `openstack/keystone is ${status} at revision 2${says}`,
      hint: expect.stringMatching(hint),
    }),
  )
})

test.each<{status: string; evidence: Evidence; reason: string}>([
  {
    status: 'pending-upgrade',
    evidence: {state: 'stale', why: 'whose helm is gone', run: 'run-1'},
    reason:
      'revision 2 was left pending-upgrade by run run-1, whose helm is gone: marked failed, then upgraded',
  },
  {
    status: 'uninstalling',
    evidence: {state: 'stale', why: 'whose helm ended badly', run: 'run-1'},
    reason:
      'revision 2 was left uninstalling by run run-1, whose helm ended badly: marked failed, then upgraded, which re-creates what was deleted',
  },
  {
    status: 'pending-install',
    evidence: {state: 'running', by: 'helm', alone: true, ...here},
    reason:
      'revision 2 is pending-install by run run-1, which is gone; its helm (process 4711) still works and is waited for',
  },
])('a release that is $status ($evidence.state) is recovered', ({status, evidence, reason}) => {
  const keystone = desiredOf('keystone')

  const result = decide(keystone, {...recordOf(keystone, {status}), evidence}, 'all-in-one.yaml')

  expect(result).toEqual({kind: 'upgrade', reasons: [reason], recovers: status})
})

test('a release of which only the history is left is installed', () => {
  const keystone = desiredOf('keystone')

  const result = decide(keystone, recordOf(keystone, {status: 'uninstalled'}), 'all-in-one.yaml')

  expect(result).toEqual({
    kind: 'install',
    reasons: ['only its history is left (revision 2): installed again'],
  })
})

test('a release that kk did not install is refused', () => {
  const act = () => decide(desiredOf('keystone'), bareRecord(id('keystone'), 4), 'all-in-one.yaml')

  expect(act).toThrow(
    expect.objectContaining({
      code: 'KK_FOREIGN',
      exit: 3,
      hint: expect.stringContaining('kk adopt keystone'),
    }),
  )
})

test('a release that another environment owns is refused if the file states it', () => {
  const record = recordOf(desiredOf('mariadb', {owner: 'infra'}))

  const act = () => decide(desiredOf('mariadb', {stated: true}), record, 'identity.yaml')

  expect(act).toThrow(
    expect.objectContaining({
      code: 'KK_OWNER',
      exit: 3,
      message: 'openstack/mariadb belongs to the environment "infra", but identity.yaml states it too',
    }),
  )
})

test('a release that another environment owns is used as it is if it is only required', () => {
  const record = recordOf(desiredOf('mariadb', {owner: 'infra', chartDigest: 'theirs'}))

  const result = decide(desiredOf('mariadb', {stated: false}), record, 'identity.yaml')

  expect(result).toEqual({kind: 'check', reasons: ['belongs to the environment "infra"']})
})

test.each(['set', 'values'] as const)(
  'a release that another environment owns is refused if --%s gives it values',
  (layer) => {
    const record = recordOf(desiredOf('mariadb', {owner: 'infra'}))
    const desired = desiredOf('mariadb', {stated: false, layers: {[layer]: {replicas: 3}}})

    const act = () => decide(desired, record, 'identity.yaml')

    expect(act).toThrow(
      expect.objectContaining({
        code: 'KK_OWNER',
        message:
          'openstack/mariadb belongs to the environment "infra", but the command line asks to change it',
      }),
    )
  },
)

test.each([
  ['set', 'the --set of the last deploy is no longer given'],
  ['values', 'the --values of the last deploy are no longer given'],
] as const)('%s of the last deploy only is a reason for an upgrade', (layer, reason) => {
  const record = recordOf(desiredOf('keystone', {...before, layers: {...before.layers, [layer]: {a: 1}}}))

  expect(decide(desiredOf('keystone', before), record, 'all-in-one.yaml')).toEqual({
    kind: 'upgrade',
    reasons: [reason],
  })
})
