import {describe, expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {
  EXPORTED_LABEL,
  GATED_LABEL,
  INSTALLATION_LABEL,
  labelsOf,
  RUN_LABEL,
} from '../../../src/plan/labels.ts'
import type {Action} from '../../../src/plan/plan.ts'
import {port} from '../../kubernetes/support/port.ts'
import {desiredOf, recordOf} from '../../plan/fixtures.ts'
import {actionOf, MANIFEST, newWorld, RUN} from './world.ts'

const older = desiredOf('keystone', {version: '0.1.0', requires: ['mariadb']})
const newer = desiredOf('keystone', {version: '0.2.0', requires: ['mariadb', 'memcached']})

const back = (target: number): Action<'rollback'> => ({...actionOf('rollback', 3), target})
const worldAfterUpgrade = (setting: Parameters<typeof newWorld>[0] = {}) =>
  newWorld({
    earlier: [recordOf(older, {revision: 2})],
    record: recordOf(newer, {revision: 3, status: 'failed', gated: undefined}),
    ...setting,
  })

const claim = (name: string) => `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: ${name}}\n`

const MADE = {[INSTALLATION_LABEL]: 'uid-keystone', [RUN_LABEL]: RUN}

describe('rollback', () => {
  it('is refused if the release was installed again, with as many revisions', async () => {
    const world = worldAfterUpgrade()

    const acting = world.execute({...back(2), uid: 'uid-of-the-former'})

    await expect(acting).rejects.toMatchObject({code: 'KK_RACED'})
    expect(world.deeds()).not.toContain('helm rollback to 2')
  })

  it('keeps the installation label, which the target may lack', async () => {
    const last = recordOf(newer, {revision: 3})
    const world = worldAfterUpgrade({
      record: {...last, labels: {...last.labels, [INSTALLATION_LABEL]: 'i1'}},
    })

    await world.execute(back(2))

    expect(world.record?.labels).toMatchObject({[INSTALLATION_LABEL]: 'i1'})
  })

  it('holds the lease while helm runs and the labels are corrected, then passes the gate, then marks the record', async () => {
    const world = worldAfterUpgrade()

    const result = await world.execute(back(2))

    expect(result).toEqual({revision: 4})
    expect(world.deeds()).toEqual([
      'hold openstack/keystone',
      'helm rollback to 2',
      `label revision 4: {"kk.openstack.org/revision":"4","kk.openstack.org/gated":null,"kk.openstack.org/installation":"uid-keystone","kk.openstack.org/run":"${RUN}"}`,
      'give back',
      'helm ended',
      'gate Deployment/keystone-api',
      'label revision 4: {"kk.openstack.org/gated":"4"}',
    ])
    expect(world.record?.labels).toEqual({...labelsOf(older, 4), ...MADE, [GATED_LABEL]: '4'})
  })

  it('removes the mark of a hand-over that its target has', async () => {
    const target = recordOf(older, {revision: 2})
    const world = worldAfterUpgrade({
      earlier: [{...target, labels: {...target.labels, [EXPORTED_LABEL]: 'flux'}}],
    })

    await world.execute(back(2))

    expect(world.record?.labels).not.toHaveProperty(EXPORTED_LABEL)
  })

  it('keeps the claims that the target lacks', async () => {
    const world = worldAfterUpgrade({
      record: recordOf(newer, {revision: 3}),
      manifests: {3: `${MANIFEST}---\n${claim('data')}`},
    })

    await world.execute(back(2))

    expect(world.deeds().slice(0, 3)).toEqual([
      'hold openstack/keystone',
      'keep PersistentVolumeClaim openstack/data',
      'helm rollback to 2',
    ])
  })

  it('deletes what an interrupted one would have deleted, but no data and nothing of other releases', async () => {
    const job = (name: string) => `---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}}\n`
    const mark = {
      'meta.helm.sh/release-name': 'keystone',
      'meta.helm.sh/release-namespace': 'openstack',
    }
    const world = worldAfterUpgrade({
      earlier: [
        recordOf(older, {revision: 2, status: 'superseded'}),
        recordOf(newer, {revision: 3, status: 'deployed'}),
      ],
      record: recordOf(older, {revision: 4, status: 'failed', gated: undefined}),
      manifests: {3: `${MANIFEST}${job('sync-3')}${job('foreign')}---\n${claim('data')}`},
      cluster: {
        live: port({
          present: async (_namespace, objects) =>
            objects.map((object) => ({
              object,
              isGoing: false,
              live: {
                name: object.metadata.name,
                uid: 'u',
                ...(object.metadata.name !== 'foreign' && {annotations: mark}),
              },
            })),
        }),
      },
    })

    await world.execute({...actionOf('rollback', 4), target: 2})

    const deeds = world.deeds()
    expect(deeds.filter((deed) => /^(?:keep|delete)/.test(deed))).toEqual([
      'keep PersistentVolumeClaim openstack/data',
      'delete object sync-3',
      'deleted Job/sync-3',
    ])
    expect(world.journal).toContainEqual({
      type: 'object-deleting',
      release: 'openstack/keystone',
      object: 'Job/sync-3',
    })
  })

  it('is only noted if helm has done it already, and kk was killed before noting it', async () => {
    const target = recordOf(older, {revision: 2})
    const copy = {...recordOf(older, {revision: 4}), labels: target.labels}
    const world = worldAfterUpgrade({earlier: [target], record: copy})

    const result = await world.execute({...actionOf('rollback', 4), target: 2})

    expect(result).toEqual({revision: 4})
    expect(world.deeds()).toEqual([
      'hold openstack/keystone',
      `label revision 4: {"kk.openstack.org/revision":"4","kk.openstack.org/gated":null,"kk.openstack.org/installation":"uid-keystone","kk.openstack.org/run":"${RUN}"}`,
      'give back',
      'helm ended',
      'gate Deployment/keystone-api',
      'label revision 4: {"kk.openstack.org/gated":"4"}',
    ])
  })

  it('runs helm if plain helm has upgraded the target, whose labels it copied', async () => {
    const target = recordOf(older, {revision: 2})
    const world = worldAfterUpgrade({
      earlier: [target],
      record: {...recordOf(older, {revision: 3}), labels: target.labels},
      manifests: {3: MANIFEST.replace('keystone-api', 'keystone-other')},
    })

    await world.execute(back(2))

    expect(world.deeds()).toContain('helm rollback to 2')
  })

  it('reserves requirements of the earlier revision before helm starts', async () => {
    const world = worldAfterUpgrade({
      cluster: {
        reservations: {
          declare: async ({required}) => void world.log.push(`declare ${required}`),
          withdraw: async () => void world.log.push('withdraw'),
          deletionMarker: async () => undefined,
          on: async () => [],
        },
      },
    })

    await world.execute({...back(2), uses: [{release: 'openstack/etcd', kind: 'ready'}]})

    expect(world.deeds().slice(1, 4)).toEqual(['declare openstack/etcd', 'helm rollback to 2', 'withdraw'])
  })

  it('is in the journal before helm starts, with the expected revision', async () => {
    const world = worldAfterUpgrade()

    await world.execute(back(2))

    const release = 'openstack/keystone'
    expect(world.journal).toEqual([
      {type: 'helm-starting', release, verb: 'rollback', revision: 4, deadline: expect.any(Number)},
      {type: 'helm-started', release, pid: 4711},
      {type: 'helm-ended', release},
      {type: 'gate-passed', release, revision: 4},
      {type: 'release-ended', release},
    ])
  })

  it('labels a failed revision, whose copied labels are those of another', async () => {
    const world = worldAfterUpgrade({
      cluster: {
        records: port({last: async () => world.record && {...world.record, status: 'failed'}}),
      },
    })

    await expect(world.execute(back(2))).rejects.toMatchObject({code: 'KK_HELM_FAILED'})

    expect(world.record?.labels).toEqual({...labelsOf(older, 4), ...MADE})
  })

  it('sets no mark if the gate stays closed', async () => {
    const world = worldAfterUpgrade({
      cluster: {
        health: port({
          gate: async () => {
            throw new KkError('KK_UNHEALTHY', 'Deployment/keystone-api: 0 of 1 replicas are available')
          },
        }),
      },
    })

    await expect(world.execute(back(2))).rejects.toMatchObject({code: 'KK_UNHEALTHY'})

    expect(world.record?.labels).toEqual({...labelsOf(older, 4), ...MADE})
    expect(world.journal.at(-1)).toEqual({
      type: 'release-ended',
      release: 'openstack/keystone',
      error: 'KK_UNHEALTHY',
    })
  })

  it('starts no helm if the revision was pruned after the plan', async () => {
    const world = worldAfterUpgrade({earlier: []})

    await expect(world.execute(back(2))).rejects.toMatchObject({
      code: 'KK_PRUNED',
      message: expect.stringContaining('revision 2 of openstack/keystone no longer exists'),
    })
    expect(world.deeds()).toEqual(['hold openstack/keystone', 'give back'])
  })

  it('starts no helm if another process changed the release after the plan', async () => {
    const world = worldAfterUpgrade({record: recordOf(newer, {revision: 4})})

    await expect(world.execute(back(2))).rejects.toMatchObject({code: 'KK_RACED'})

    expect(world.deeds()).toEqual(['hold openstack/keystone', 'give back'])
  })
})
