import {describe, expect, it} from 'vitest'
import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import type {Plan} from '../../../src/plan/plan.ts'
import {makeRollbackPlan, type RollbackInputs} from '../../../src/plan/rollback/make-rollback-plan.ts'
import {id, names} from '../../graph/graph-of.ts'
import {bareRecord, desiredOf, recordOf, type Wanted} from '../fixtures.ts'

const CLUSTER = {context: 'kk', server: 'https://127.0.0.1:6443', uid: 'u', version: 'v1.36.3'}

/** Revisions 1 and 2 of a release, of different inputs; the gate of both has passed. */
function upgraded(name: string, wanted: Wanted = {}): readonly ReleaseRecord[] {
  const older = recordOf(desiredOf(name, {...wanted, version: '0.1.0'}), {
    revision: 1,
    status: 'superseded',
  })
  return [older, recordOf(desiredOf(name, {...wanted, version: '0.2.0'}), {revision: 2})]
}

function back(release: string, revision = 1) {
  return {release: id(release), revision, reason: `back to revision ${revision}`}
}

function planOf(more: Partial<RollbackInputs>): Plan {
  return makeRollbackPlan({
    environment: 'all-in-one',
    file: 'all-in-one.yaml',
    cluster: CLUSTER,
    targets: [],
    revisions: [],
    migrations: new Map(),
    keepSchema: false,
    notes: [],
    ...more,
  })
}

/** `rollback glance 2→1 after horizon`, one line per action. */
function lines({actions}: Plan): readonly string[] {
  return actions.map(({release, revision, requires, ...action}) => {
    const {kind} = action
    const way = action.kind === 'rollback' ? ` ${revision}→${action.target}` : ''
    const after = names(requires.map((each) => each.release))
    return `${kind} ${names([release])}${way}${after.length === 0 ? '' : ` after ${after.join(', ')}`}`
  })
}

describe('the plan of a rollback', () => {
  it('returns dependents first', () => {
    const plan = planOf({
      targets: [back('mariadb'), back('keystone'), back('glance')],
      revisions: [
        ...upgraded('glance', {requires: ['keystone', 'mariadb']}),
        ...upgraded('keystone', {requires: ['mariadb']}),
        ...upgraded('mariadb'),
      ],
    })

    expect(lines(plan)).toEqual([
      'rollback glance 2→1',
      'rollback keystone 2→1 after glance',
      'rollback mariadb 2→1 after glance, keystone',
    ])
  })

  it('returns the releases of a section in the order of deployment, and their requirements after all of them', () => {
    const section = 'nova'
    const plan = planOf({
      targets: [back('keystone'), back('nova-common'), back('nova-api'), back('tempest')],
      revisions: [
        ...upgraded('keystone'),
        ...upgraded('nova-api', {section, requires: ['nova-common']}),
        ...upgraded('nova-common', {section, requires: ['keystone']}),
        ...upgraded('tempest', {requires: ['nova-api', 'nova-common']}),
      ],
    })

    expect(lines(plan)).toEqual([
      'rollback tempest 2→1',
      'rollback nova-common 2→1 after tempest',
      'rollback nova-api 2→1 after nova-common, tempest',
      'rollback keystone 2→1 after nova-api, nova-common',
    ])
  })

  it('includes dependents that only the earlier revision had', () => {
    const older = recordOf(desiredOf('glance', {requires: ['keystone']}), {revision: 1})
    const newer = recordOf(desiredOf('glance', {version: '0.2.0'}), {revision: 2})

    const plan = planOf({
      targets: [back('keystone'), back('glance')],
      revisions: [older, newer, ...upgraded('keystone')],
    })

    expect(lines(plan)).toEqual(['rollback glance 2→1', 'rollback keystone 2→1 after glance'])
  })

  it('orders through releases that do not return, and checks all dependents again', () => {
    const plan = planOf({
      targets: [back('mariadb'), back('horizon')],
      revisions: [
        ...upgraded('horizon', {requires: ['keystone']}),
        recordOf(desiredOf('keystone', {requires: ['mariadb']})),
        ...upgraded('mariadb'),
        recordOf(desiredOf('memcached')),
      ],
    })

    expect(lines(plan)).toEqual([
      'rollback horizon 2→1',
      'rollback mariadb 2→1 after horizon',
      'check keystone after mariadb',
    ])
  })

  it('returns members of a group together', () => {
    const plan = planOf({
      targets: [back('nova'), back('neutron')],
      revisions: [
        ...upgraded('neutron', {requires: ['nova:applied']}),
        ...upgraded('nova', {requires: ['neutron:applied']}),
      ],
    })

    expect(plan.actions.map(({group}) => names(group))).toEqual([
      ['neutron', 'nova'],
      ['neutron', 'nova'],
    ])
  })

  it('has the chart and inputs of the earlier revision, and notes that the file wants others', () => {
    const revisions = upgraded('keystone')

    const {actions, notes} = planOf({targets: [back('keystone')], revisions, notes: ['glance stays']})

    expect(actions[0]).toMatchObject({
      chart: {name: 'keystone', version: '0.1.0'},
      inputs: revisions[0]!.labels['kk.openstack.org/inputs'],
      reasons: ['back to revision 1'],
    })
    expect(notes).toEqual([
      'glance stays',
      'the environment file still wants the newer inputs: kk deploy would upgrade keystone again until it is changed back',
    ])
  })

  it.each([
    {
      what: 'only --set is undone',
      earlier: {},
      now: {set: {debug: true}},
      note: 'of keystone only --set or --values is undone, which the environment file does not have: kk deploy without it keeps this state',
    },
    {
      what: 'it had another --set then',
      earlier: {set: {debug: false}},
      now: {},
      note: 'keystone had other --set or --values then: kk deploy without these would upgrade again',
    },
    {
      what: 'the file changed, too',
      earlier: {},
      now: {set: {debug: true}, section: {replicas: 3}},
      note: 'the environment file still wants the newer inputs: kk deploy would upgrade keystone again until it is changed back',
    },
  ])('notes what the next deploy does if $what', ({earlier, now, note}) => {
    const revisions = [
      recordOf(desiredOf('keystone', {layers: earlier}), {revision: 1, status: 'superseded'}),
      recordOf(desiredOf('keystone', {layers: now}), {revision: 2}),
    ]

    expect(planOf({targets: [back('keystone')], revisions}).notes).toEqual([note])
  })

  it.each([
    {what: 'whose gate has passed', gated: 3, kind: 'unchanged'},
    {what: 'whose gate has not', gated: undefined, kind: 'await'},
  ])('has nothing to roll back for a release that has returned already, $what', ({gated, kind}) => {
    const [older, newer] = upgraded('keystone')
    const returned = recordOf(desiredOf('keystone', {version: '0.1.0'}), {revision: 3, gated})

    const plan = planOf({targets: [back('keystone')], revisions: [older!, newer!, returned]})

    expect(lines(plan)).toEqual([`${kind} keystone`])
    expect(plan.actions[0]!.reasons).toEqual([
      'revision 3 was made of the same inputs as revision 1: there is nothing to undo',
    ])
    expect(plan.notes).toEqual([])
  })

  it('rolls back a release that was changed outside kk, whatever labels helm copied', () => {
    const [older, newer] = upgraded('keystone')
    const outside = {
      ...recordOf(desiredOf('keystone', {version: '0.1.0'}), {written: 1, gated: 1}),
      revision: 3,
    }

    const plan = planOf({targets: [back('keystone')], revisions: [older!, newer!, outside]})

    expect(lines(plan)).toEqual(['rollback keystone 3→1'])
  })
})

describe('a rollback is refused', () => {
  const [older, newer] = upgraded('keystone') as [ReleaseRecord, ReleaseRecord]

  it.each([
    {
      what: 'when what the revision requires was removed',
      more: {
        targets: [back('keystone')],
        revisions: [recordOf(desiredOf('keystone', {requires: ['mariadb']}), {revision: 1}), newer],
      },
      code: 'KK_NOT_INSTALLED',
      message: /a release that revision 1 of openstack\/keystone requires is no longer on the cluster/,
    },
    {
      what: 'when helm has pruned the revision',
      more: {targets: [back('keystone')], revisions: [newer]},
      code: 'KK_PRUNED',
      message: /revision 1 of openstack\/keystone no longer exists \(helm keeps 2\)/,
    },
    {
      what: 'when the release never had the revision',
      more: {targets: [{...back('keystone'), revision: 99}], revisions: [older, newer]},
      code: 'KK_NO_REVISION',
      message: /openstack\/keystone has no revision 99 yet: its last one is 2/,
    },
    {
      what: 'when the release was removed',
      more: {targets: [back('keystone')], revisions: []},
      code: 'KK_NOT_INSTALLED',
      message: /openstack\/keystone is not installed/,
    },
    {
      what: 'for what kk did not install',
      more: {targets: [back('keystone')], revisions: [bareRecord(id('keystone'))]},
      code: 'KK_FOREIGN',
      message: /was not installed by kk/,
    },
    {
      what: 'for what another environment owns',
      more: {targets: [back('keystone')], revisions: upgraded('keystone', {owner: 'other'})},
      code: 'KK_OWNER',
      message: /belongs to the environment "other"/,
    },
    {
      what: 'while another operation has not ended',
      more: {targets: [back('keystone')], revisions: [older, {...newer, status: 'pending-upgrade'}]},
      code: 'KK_PENDING',
      message: /pending-upgrade at revision 2/,
    },
    {
      what: 'across a migration',
      more: {
        targets: [back('keystone')],
        revisions: [older, newer],
        migrations: new Map([[id('keystone'), ['keystone-db-sync-1a2b']]]),
      },
      code: 'KK_MIGRATION',
      message: /keystone \(keystone-db-sync-1a2b\) a database was migrated, and no rollback reverts that/,
    },
  ])('$what', ({more, code, message}) => {
    expect(() => planOf(more)).toThrow(
      expect.objectContaining({code, message: expect.stringMatching(message)}),
    )
  })

  it('naming every release whose revision no longer exists, not only the first', () => {
    const revisions = [newer, ...upgraded('glance').slice(1)]

    expect(() => planOf({targets: [back('keystone'), back('glance')], revisions})).toThrow(
      /revision 1 of openstack\/keystone .*; revision 1 of openstack\/glance/,
    )
  })

  it('with the dump from before the migration, and the commands that restore it', () => {
    const migrations = new Map([[id('keystone'), ['keystone-db-expand-1a2b']]])
    const dump = {
      release: id('keystone'),
      cronJob: 'keystone-db-restore',
      ...{claim: 'dumps', directory: 'keystone', job: 'keystone-db-expand-1a2b'},
    }
    const refused = () =>
      planOf({targets: [back('keystone')], revisions: [older, newer], migrations, dumps: [dump]})

    expect(refused).toThrow(
      expect.objectContaining({
        code: 'KK_MIGRATION',
        message: expect.stringContaining(
          [
            'before that, openstack/keystone was dumped to the claim dumps: keystone/keystone-db-expand-1a2b.sql.gz; to restore it:',
            '  kubectl --namespace openstack create job keystone-db-restore --from=cronjob/keystone-db-restore --dry-run=client --output=yaml | kubectl set env --local --filename=- DUMP=keystone-db-expand-1a2b --output=yaml | kubectl create --filename=-',
            '  kubectl --namespace openstack wait job/keystone-db-restore --for=condition=complete --timeout=30m',
            'then run the same rollback with --keep-schema',
          ].join('\n'),
        ),
        hint: expect.stringContaining('loses what was written since'),
      }),
    )
  })

  it('except across a migration with --keep-schema, which is noted', () => {
    const plan = planOf({
      targets: [back('keystone')],
      revisions: [older, newer],
      migrations: new Map([[id('keystone'), ['keystone-db-sync-1a2b']]]),
      keepSchema: true,
    })

    expect(plan.actions[0]!.reasons).toContain('keeps the schema that keystone-db-sync-1a2b made')
  })
})
