import {describe, expect, it} from 'vitest'
import {planDifferences} from '../../../src/plan/saved/plan-differences.ts'
import type {SavedPlan, SavedRelease} from '../../../src/plan/saved/saved-plan.ts'
import {saved, savedRelease} from './saved.ts'

/** The present plan, with one change in keystone. */
function keystone(changed: Partial<SavedRelease>): SavedPlan {
  const [mariadb, same] = saved().releases
  return saved({releases: [mariadb!, {...same!, ...changed}]})
}

const record = savedRelease('keystone').record!
const layers = savedRelease('keystone').layers

describe('a saved plan and the present one', () => {
  it('are the same when nothing moved', () => {
    expect(planDifferences(saved(), saved())).toEqual([])
  })

  it('are the same by another way to the same cluster, and from another directory', () => {
    const now = saved({
      savedAt: '2026-11-22T08:30:00.000Z',
      cluster: {...saved().cluster, context: 'ci', server: 'https://other:6443'},
      environment: {...saved().environment, file: 'ci/env.yaml', absolute: '/ci/env.yaml'},
    })

    expect(planDifferences(saved(), now)).toEqual([])
  })

  it.each<[string, SavedPlan, string]>([
    ['kk', saved({kk: '0.2.0'}), 'kk is 0.2.0, the plan was saved by kk 0.1.0'],
    [
      'the schema of digests',
      saved({schema: 2}),
      'kk digests inputs in another way than the one that saved the plan (1, now 2)',
    ],
    [
      'the cluster',
      saved({cluster: {...saved().cluster, uid: 'uid-2'}}),
      'this is the cluster production (https://one:6443, kube-system has the UID uid-2), the plan is for production (https://one:6443, kube-system has the UID uid-1)',
    ],
    [
      'its version',
      saved({cluster: {...saved().cluster, version: 'v1.37.0'}}),
      'the cluster runs Kubernetes v1.37.0, then v1.36.0',
    ],
    [
      'the environment',
      saved({environment: {...saved().environment, name: 'other'}}),
      'the environment is "other", the plan is of "cloud"',
    ],
    [
      'the section of a release',
      keystone({layers: {...layers, section: 's1'}, inputs: 'other'}),
      'keystone: section keystone of env.yaml changed',
    ],
    ['a new global', keystone({layers: {...layers, global: 'g'}}), 'keystone: global of env.yaml changed'],
    ['feature files', keystone({layers: {...layers, features: 'x'}}), 'keystone: feature files changed'],
    ['a file of --values', keystone({layers: {...layers, values: 'x'}}), 'keystone: --values changed'],
    [
      '--set where there was none',
      keystone({layers: {...layers, set: 'x'}}),
      'keystone: the plan was saved without --set for it',
    ],
    [
      'the flags of rendering',
      keystone({layers: {...layers, flags: 'x'}}),
      'keystone: flags that change rendering changed',
    ],
    ['the files of a chart', keystone({layers: {...layers, chart: 'c1'}}), 'keystone: chart files changed'],
    [
      'the version of a chart',
      keystone({layers: {...layers, chart: 'c1'}, chart: {name: 'keystone', version: '0.2.0'}}),
      'keystone: chart keystone 0.1.0 → keystone 0.2.0',
    ],
    ['inputs that no layer tells of', keystone({inputs: 'other'}), 'keystone: its inputs changed'],
    ['what it requires, gone', keystone({requires: []}), 'keystone: no longer requires mariadb'],
    ['whether it is stated', keystone({stated: false}), 'keystone: no longer stated in a section'],
    ['its protection', keystone({protected: true}), 'keystone: now protected'],
    [
      'its revision',
      keystone({record: {...record, uid: 'uid-3', revision: 3, resourceVersion: '9'}}),
      'keystone: was at revision 2 (deployed), is now at revision 3 (deployed)',
    ],
    [
      'the status of its revision',
      keystone({record: {...record, status: 'failed', resourceVersion: '9'}}),
      'keystone: revision 2 was deployed, is now failed',
    ],
    [
      'the UID of its record',
      keystone({record: {...record, uid: 'new', resourceVersion: '9'}}),
      'keystone: revision 2 is another record (UID uid-keystone, now new)',
    ],
    [
      'the resource version of its record',
      keystone({record: {...record, resourceVersion: '9'}}),
      'keystone: the record of revision 2 was written (resource version 7, now 9), e.g. its labels by kk',
    ],
    [
      'its record, gone',
      keystone({record: null, kind: 'install'}),
      'keystone: was at revision 2 (deployed), is no longer installed',
    ],
    [
      'what is to be done, by itself',
      keystone({kind: 'await'}),
      'keystone: was to be upgraded, is now to be awaited',
    ],
    [
      'a release less',
      saved({releases: saved().releases.slice(0, 1)}),
      'keystone: no longer part of the plan',
    ],
    [
      'a release more',
      saved({releases: [...saved().releases, savedRelease('glance', {kind: 'install'})]}),
      'glance: not part of the saved plan, now to be installed',
    ],
    [
      'the order',
      saved({releases: saved().releases.toReversed()}),
      'the order was mariadb, keystone; it is now keystone, mariadb',
    ],
  ])('differ by %s', (_, now, line) => {
    expect(planDifferences(saved(), now)).toEqual([line])
  })

  it('differ by a record that appeared', () => {
    const then = keystone({record: null, kind: 'install'})

    expect(planDifferences(then, saved())).toEqual([
      'keystone: was not installed, is now at revision 2 (deployed)',
    ])
  })

  it('differ by a kind of edge', () => {
    expect(planDifferences(saved(), keystone({requires: ['openstack/mariadb:applied']}))).toEqual([
      'keystone: now requires mariadb:applied',
      'keystone: no longer requires mariadb',
    ])
  })

  it('differ by --set that is missing now, with the reason', () => {
    const then = keystone({layers: {...layers, set: 'x'}})

    expect(planDifferences(then, saved())).toEqual([
      'keystone: the plan was saved with --set for it, which must be given again: a saved plan holds no values',
    ])
  })

  it('of different clusters differ by inputs, not by records', () => {
    const now = {
      ...keystone({record: null, kind: 'install' as const, layers: {...layers, section: 's1'}}),
      cluster: {...saved().cluster, uid: 'uid-2'},
    }

    expect(planDifferences(saved(), now)).toEqual([
      expect.stringContaining('this is the cluster'),
      'keystone: section keystone of env.yaml changed',
    ])
  })

  it('name everything that moved, not only the first', () => {
    const now = saved({
      kk: '0.2.0',
      releases: [
        savedRelease('mariadb', {record: null}),
        savedRelease('keystone', {
          layers: {...layers, section: 's1'},
          requires: ['openstack/mariadb:ready', 'openstack/memcached:ready'],
        }),
      ],
    })

    expect(planDifferences(saved(), now)).toEqual([
      'kk is 0.2.0, the plan was saved by kk 0.1.0',
      'mariadb: was at revision 2 (deployed), is no longer installed',
      'keystone: section keystone of env.yaml changed',
      'keystone: now requires memcached',
    ])
  })
})
