import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {makeRemovalPlan} from '../../../src/plan/removal/make-removal-plan.ts'
import type {Uses} from '../../../src/plan/uses/uses.ts'
import {type ReleaseId, releaseName} from '../../../src/release.ts'
import {arbitraryGraph} from '../../graph/arbitrary-graph.ts'
import {id} from '../../graph/graph-of.ts'
import {desiredOf, recordOf} from '../fixtures.ts'
import {clusterOf, type Described} from './cluster-of.ts'

const all: Record<string, Described> = {
  mariadb: {protected: true},
  keystone: {requires: ['mariadb']},
  glance: {requires: ['keystone', 'mariadb']},
  horizon: {requires: ['keystone']},
}

function removal(uses: Uses, names: readonly string[], withDependents = false) {
  return makeRemovalPlan({
    environment: 'all-in-one',
    file: 'all-in-one.yaml',
    cluster: {context: 'sandbox', server: 'https://127.0.0.1:6443', uid: 'u', version: 'v1.36.0'},
    uses,
    releases: names.map(id),
    withDependents,
    isProtected: (release) => uses.observed.get(release)!.labels?.protected === true,
  })
}

function order(uses: Uses, names: readonly string[], withDependents = false): readonly string[] {
  return removal(uses, names, withDependents).actions.map(({release}) => releaseName(release))
}

function refusal(act: () => unknown) {
  try {
    act()
  } catch (error) {
    return error as {code: string; exit: number; message: string; hint: string}
  }
  throw new Error('it was not refused')
}

describe('a release that nothing requires', () => {
  test('is removed alone; a shared requirement is not part of the plan', () => {
    const {actions} = removal(clusterOf(all), ['horizon'])

    expect(actions).toMatchObject([
      {release: 'openstack/horizon', kind: 'remove', reasons: ['named'], revision: 2, requires: []},
    ])
  })

  test.each([
    ['failed', 'last revision is failed'],
    ['uninstalling', 'its removal was interrupted: this finishes it'],
    ['uninstalled', 'only its history is left'],
  ])('and is %s can be removed', (status, reason) => {
    const {actions} = removal(clusterOf({horizon: {status}}), ['horizon'])

    expect(actions).toMatchObject([{kind: 'remove', reasons: ['named', reason]}])
  })

  test.each(['pending-install', 'pending-upgrade', 'pending-rollback', 'unknown'])(
    'and is %s is not removed, because another process may work on it',
    (status) => {
      const error = refusal(() => removal(clusterOf({horizon: {status}}), ['horizon']))

      expect(error).toMatchObject({code: 'KK_PENDING', exit: 3})
    },
  )
})

describe('a release that others require', () => {
  test('is refused, naming all dependents, what they require and their environments', () => {
    const uses = clusterOf({...all, 'other/heat': {requires: ['keystone'], owner: 'orchestration'}})

    const error = refusal(() => removal(uses, ['mariadb']))

    expect(error).toMatchObject({code: 'KK_HAS_DEPENDENTS', exit: 3})
    expect(error.message.split('\n')).toEqual([
      'openstack/mariadb is in use by:',
      '  openstack/glance (environment "all-in-one") requires mariadb',
      '  openstack/horizon (environment "all-in-one") requires keystone',
      '  openstack/keystone (environment "all-in-one") requires mariadb',
      '  other/heat (environment "orchestration") requires keystone',
    ])
    expect(error.hint).toMatch(/^heat must be removed first/)
  })

  test('is removed when all of them are named, too; they are removed first', () => {
    expect(order(clusterOf(all), ['mariadb', 'keystone', 'glance', 'horizon'])).toEqual([
      'glance',
      'horizon',
      'keystone',
      'mariadb',
    ])
  })

  test('is removed with its dependents, in reverse order, each after those that use it', () => {
    const {actions} = removal(clusterOf(all), ['keystone'], true)

    expect(actions).toMatchObject([
      {release: 'openstack/glance', reasons: ['requires keystone'], requires: []},
      {release: 'openstack/horizon', reasons: ['requires keystone'], requires: []},
      {
        release: 'openstack/keystone',
        reasons: ['named'],
        requires: [{release: 'openstack/glance'}, {release: 'openstack/horizon'}],
      },
    ])
  })

  test.each<[string, Described, RegExp]>([
    [
      'of another environment',
      {requires: ['keystone'], owner: 'orchestration'},
      /environment "orchestration"/,
    ],
    ['that kk did not install', {isForeign: true, declares: 'keystone, nova:applied'}, /not installed by kk/],
  ])('is not removed with dependents %s', (_, described, whose) => {
    const uses = clusterOf({...all, heat: described})

    const error = refusal(() => removal(uses, ['keystone'], true))

    expect(error).toMatchObject({code: 'KK_HAS_DEPENDENTS', message: expect.stringMatching(whose)})
    expect(error.message).not.toContain('glance')
  })

  test.each(['failed', 'pending-install', 'pending-upgrade', 'uninstalling', 'unknown'])(
    'is refused when the dependent is %s',
    (status) => {
      const uses = clusterOf({mariadb: {}, keystone: {requires: ['mariadb'], status}})

      expect(refusal(() => removal(uses, ['mariadb']))).toMatchObject({code: 'KK_HAS_DEPENDENTS'})
    },
  )

  test('is removed when only the history of a dependent is left', () => {
    const uses = clusterOf({mariadb: {}, keystone: {requires: ['mariadb'], status: 'uninstalled'}})

    expect(order(uses, ['mariadb'])).toEqual(['mariadb'])
  })

  test('is refused while the deployed revision of a dependent requires it, though a later one that failed does not', () => {
    const deployed = recordOf(desiredOf('keystone', {requires: ['mariadb']}), {revision: 1})
    const uses = clusterOf({mariadb: {}, keystone: {status: 'failed', earlier: [deployed]}})

    expect(refusal(() => removal(uses, ['mariadb']))).toMatchObject({code: 'KK_HAS_DEPENDENTS'})
  })

  test('is removed when only a superseded revision required it', () => {
    const superseded = {
      ...recordOf(desiredOf('keystone', {requires: ['mariadb']}), {revision: 1}),
      status: 'superseded',
    }
    const uses = clusterOf({mariadb: {}, keystone: {earlier: [superseded]}})

    expect(order(uses, ['mariadb'])).toEqual(['mariadb'])
  })
})

describe('a requirement of foreign releases', () => {
  test('is the neighbour that their chart names', () => {
    const uses = clusterOf({
      mariadb: {},
      'other/mariadb': {},
      'other/wiki': {isForeign: true, declares: 'mariadb'},
    })

    expect(order(uses, ['mariadb'])).toEqual(['mariadb'])
    expect(refusal(() => removal(uses, ['other/mariadb']))).toMatchObject({code: 'KK_HAS_DEPENDENTS'})
  })

  test('is every release of that name if they have no such neighbour; they may be excused', () => {
    const releases = {mariadb: {}, 'other/wiki': {isForeign: true, declares: 'mariadb'}}

    expect(refusal(() => removal(clusterOf(releases), ['mariadb']))).toMatchObject({
      message: expect.stringContaining('other/wiki (not installed by kk) requires mariadb'),
    })
    expect(order(clusterOf(releases, {excused: ['other/wiki']}), ['mariadb'])).toEqual(['mariadb'])
  })

  test('counts too when plain helm upgraded a release of kk to a chart that requires more', () => {
    const asKkMadeIt = clusterOf({mariadb: {}, keystone: {declares: 'mariadb'}})
    const taken = clusterOf({mariadb: {}, keystone: {declares: 'mariadb', written: 1}})

    expect(order(asKkMadeIt, ['mariadb'])).toEqual(['mariadb'])
    expect(refusal(() => removal(taken, ['mariadb']))).toMatchObject({code: 'KK_HAS_DEPENDENTS'})
  })
})

describe('a release in a namespace that is deleted with another release', () => {
  test('is a dependent of that other release', () => {
    const uses = clusterOf({base: {namespaces: ['openstack']}, 'openstack/wiki': {isForeign: true}})

    expect(refusal(() => removal(uses, ['base']))).toMatchObject({
      code: 'KK_HAS_DEPENDENTS',
      message: expect.stringContaining('openstack/wiki (not installed by kk) requires base'),
    })
  })
})

describe('a record that cannot be read', () => {
  const broken = {...all, 'other/wiki': {isForeign: true, isUnreadable: true}}

  test('counts as a user of every release', () => {
    const error = refusal(() => removal(clusterOf(broken), ['horizon']))

    expect(error).toMatchObject({
      code: 'KK_HAS_DEPENDENTS',
      exit: 3,
      message: expect.stringContaining('other/wiki: the record of wiki is garbage'),
      hint: expect.stringContaining('--ignore-record other/wiki'),
    })
  })

  test.each(['other/wiki', 'other/sh.helm.release.v1.wiki.v1'])('is excused by name: %s', (name) => {
    expect(order(clusterOf(broken, {excused: [name]}), ['horizon'])).toEqual(['horizon'])
  })

  test('is not excused by the name of another', () => {
    const uses = clusterOf(broken, {excused: ['openstack/wiki']})

    expect(refusal(() => removal(uses, ['horizon']))).toMatchObject({code: 'KK_HAS_DEPENDENTS'})
  })

  test('counts also if its Secret names no release', () => {
    const stray = 'openstack/sh.helm.release.v1.nova'

    const error = refusal(() => removal(clusterOf(all, {strays: [stray]}), ['horizon']))

    expect(error).toMatchObject({
      code: 'KK_HAS_DEPENDENTS',
      hint: expect.stringContaining(`--ignore-record ${stray}`),
    })
    expect(order(clusterOf(all, {strays: [stray], excused: [stray]}), ['horizon'])).toEqual(['horizon'])
  })

  test('a dependent that can be read is never excused', () => {
    const uses = clusterOf(all, {excused: ['openstack/keystone', 'openstack/glance', 'openstack/horizon']})

    expect(refusal(() => removal(uses, ['mariadb']))).toMatchObject({code: 'KK_HAS_DEPENDENTS'})
  })
})

test.each<[string, Described, string]>([
  ['of another environment', {owner: 'infra'}, 'KK_OWNER'],
  ['that kk did not install', {isForeign: true}, 'KK_FOREIGN'],
])('a release %s is never removed', (_, described, code) => {
  expect(refusal(() => removal(clusterOf({mariadb: described}), ['mariadb']))).toMatchObject({code, exit: 3})
})

test('releases that need each other are removed together', () => {
  const {actions} = removal(
    clusterOf({neutron: {requires: ['nova:applied']}, nova: {requires: ['neutron:applied']}}),
    ['nova'],
    true,
  )

  expect(actions.map(({group}) => group)).toEqual([
    ['openstack/neutron', 'openstack/nova'],
    ['openstack/neutron', 'openstack/nova'],
  ])
})

test('law: a plan leaves no dependent behind, and removes each release after all its users', () => {
  const arbitrary = fc.tuple(arbitraryGraph(20), fc.nat(), fc.boolean())
  fc.assert(
    fc.property(arbitrary, ([graph, pick, withDependents]) => {
      const releases = graph.releases.map((release) => [
        releaseName(release),
        {
          requires: graph.requirements
            .get(release)!
            .map(({to, kind}) => `${releaseName(to)}:${kind === 'applied' ? 'applied' : 'ready'}`),
        },
      ])
      const uses = clusterOf(Object.fromEntries(releases))
      const named = releaseName(graph.releases[pick % graph.releases.length]!)
      let gone: readonly ReleaseId[]
      try {
        gone = removal(uses, [named], withDependents).actions.map(({release}) => release)
      } catch (error) {
        expect(error).toMatchObject({code: 'KK_HAS_DEPENDENTS'})
        expect(withDependents).toBe(false)
        return
      }
      for (const [place, release] of gone.entries()) {
        const action = removal(uses, [named], withDependents).actions[place]!
        for (const user of uses.graph.releases) {
          if (!uses.graph.requirements.get(user)!.some(({to}) => to === release)) continue
          expect(gone).toContain(user)
          if (!action.group.includes(user)) expect(gone.indexOf(user)).toBeLessThan(place)
        }
      }
    }),
    {numRuns: 200},
  )
})
