import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {readLabels} from '../../src/plan/labels.ts'
import {makePlan, type PlanInputs} from '../../src/plan/make-plan.ts'
import {hasChanges} from '../../src/plan/plan.ts'
import type {PlanMode} from '../../src/plan/scope.ts'
import {releaseName} from '../../src/release.ts'
import {arbitraryGraph} from '../graph/arbitrary-graph.ts'
import {id} from '../graph/graph-of.ts'
import {bareRecord, desiredOf, recordOf} from './fixtures.ts'
import {allDeployed, inputsOf} from './plan-inputs.ts'

function kinds(inputs: PlanInputs): Record<string, string> {
  return Object.fromEntries(makePlan(inputs).actions.map(({release, kind}) => [releaseName(release), kind]))
}

describe('a whole environment', () => {
  test('is installed on an empty cluster, requirements first', () => {
    const plan = makePlan(inputsOf({}, []))

    expect(plan.actions.map(({release, kind}) => `${kind} ${release}`)).toEqual([
      'install openstack/mariadb',
      'install openstack/keystone',
      'install openstack/glance',
      'install openstack/horizon',
    ])
    expect(plan.actions[2]).toEqual({
      release: 'openstack/glance',
      kind: 'install',
      reasons: ['not installed'],
      chart: {name: 'glance', version: '0.1.0', appVersion: '2025.1'},
      requires: [
        {release: 'openstack/keystone', kind: 'ready'},
        {release: 'openstack/mariadb', kind: 'ready'},
      ],
      group: ['openstack/glance'],
      revision: 0,
      inputs: expect.stringMatching(/^[0-9a-f]{40}$/),
      protected: false,
    })
    expect(hasChanges(plan)).toBe(true)
  })

  test('keeps releases that are deployed, healthy and equal unchanged', () => {
    const plan = makePlan(inputsOf({}, allDeployed()))

    expect(new Set(plan.actions.map(({kind}) => kind))).toEqual(new Set(['unchanged']))
    expect(hasChanges(plan)).toBe(false)
  })

  test('a change of one section upgrades only that release, and checks its dependents', () => {
    const result = kinds(inputsOf({keystone: {layers: {section: {replicas: 3}}}}, allDeployed()))

    expect(result).toEqual({
      mariadb: 'check',
      keystone: 'upgrade',
      glance: 'check',
      horizon: 'check',
    })
  })

  test('the requirements of an install are checked first, and upgraded if their objects are gone', () => {
    const records = allDeployed().filter(({release}) => release === id('mariadb'))

    const healthy = makePlan(inputsOf({}, records))
    const way = {kind: 'upgrade', reasons: ['objects are gone']} as const
    const gone = makePlan({...inputsOf({}, records), stuck: new Map([[id('mariadb'), way]])})

    expect(healthy.actions[0]).toMatchObject({kind: 'check', reasons: ['what requires it changes']})
    expect(gone.actions[0]).toMatchObject({kind: 'upgrade', reasons: ['objects are gone']})
  })

  test('a release that cannot become healthy by waiting is upgraded, with the reason', () => {
    const waiting = {...recordOf(desiredOf('mariadb')), labels: {...recordOf(desiredOf('mariadb')).labels}}
    delete waiting.labels['kk.openstack.org/gated']
    const inputs = inputsOf({}, [waiting, ...allDeployed().filter(({release}) => release !== id('mariadb'))])

    const patient = makePlan(inputs)
    const way = {kind: 'upgrade', reasons: ['Job/db failed']} as const
    const stuck = makePlan({...inputs, stuck: new Map([[id('mariadb'), way]])})

    expect(patient.actions[0]).toMatchObject({kind: 'await'})
    expect(stuck.actions[0]).toMatchObject({kind: 'upgrade', reasons: ['Job/db failed']})
  })

  test('a release that the file no longer names stays untouched', () => {
    const nova = recordOf(desiredOf('nova'))

    const plan = makePlan(inputsOf({}, [...allDeployed(), nova]))

    expect(plan.bystanders).toEqual([
      expect.objectContaining({release: id('nova'), state: 'no-longer-wanted'}),
    ])
    expect(hasChanges(plan)).toBe(false)
  })
})

describe('a release that another environment owns', () => {
  const theirs = recordOf(desiredOf('mariadb', {owner: 'infra'}))

  test('is checked before its dependents start', () => {
    const plan = makePlan(inputsOf({mariadb: {stated: false}}, [theirs]))

    expect(plan.actions[0]).toMatchObject({release: id('mariadb'), kind: 'check', revision: 2})
    expect(plan.bystanders).toEqual([])
  })

  test('is not checked if no dependent changes', () => {
    const records = [theirs, ...allDeployed().filter(({release}) => release !== id('mariadb'))]

    const plan = makePlan(inputsOf({mariadb: {stated: false}}, records))

    expect(plan.actions[0]).toMatchObject({release: id('mariadb'), kind: 'unchanged'})
    expect(hasChanges(plan)).toBe(false)
  })

  test('is refused if it is named', () => {
    const inputs = inputsOf({mariadb: {stated: false}}, [theirs])
    const named = {...inputs, mode: {kind: 'named', releases: [id('mariadb')], install: false}} as const

    expect(() => makePlan(named)).toThrow(expect.objectContaining({code: 'KK_OWNER'}))
  })

  test('is refused if a section states it', () => {
    expect(() => makePlan(inputsOf({}, [theirs]))).toThrow(expect.objectContaining({code: 'KK_OWNER'}))
  })

  test('is named in the command that hands it over, unless all of its environment is here', () => {
    const owner = readLabels(theirs.labels)!.owner
    const elsewhere = recordOf(desiredOf('tempest', {owner}))
    const hint = (text: string) => expect.objectContaining({hint: expect.stringContaining(text)})

    expect(() => makePlan(inputsOf({}, [theirs, elsewhere]))).toThrow(
      hint(`kk adopt mariadb --former-owner ${owner}`),
    )
    expect(() => makePlan(inputsOf({}, [theirs]))).toThrow(hint(`kk adopt --former-owner ${owner}`))
  })

  test('is refused together with all others, with the remedies', () => {
    const horizon = recordOf(desiredOf('horizon', {owner: 'web'}))

    expect(() => makePlan(inputsOf({}, [theirs, horizon]))).toThrow(
      expect.objectContaining({
        code: 'KK_OWNER',
        message: expect.stringMatching(
          /^2 releases belong to other environments, but all-in-one\.yaml states them too:\n.*openstack\/horizon \("web"\)/s,
        ),
        hint: expect.stringMatching(/kk\.namespace.*kk adopt --former-owner /),
      }),
    )
  })
})

describe('a release of the graph that is only used', () => {
  const {desired, ...rest} = inputsOf({}, [])
  const withoutMariadb = {
    ...rest,
    desired: new Map([...desired].filter(([release]) => release !== id('mariadb'))),
  }

  test('must be installed already', () => {
    expect(() => makePlan(withoutMariadb)).toThrow(
      expect.objectContaining({
        code: 'KK_NOT_INSTALLED',
        message: 'openstack/mariadb is not installed (required by keystone, glance)',
      }),
    )
  })

  test('is checked, even if kk did not install it', () => {
    const plan = makePlan({...withoutMariadb, records: [bareRecord(id('mariadb'))]})

    expect(plan.actions[0]).toMatchObject({kind: 'check', chart: {name: 'mariadb', version: ''}})
    expect(plan.bystanders).toEqual([])
  })
})

describe('named releases', () => {
  const named = (name: string, install = false): PlanMode => ({kind: 'named', releases: [id(name)], install})

  test('are the only ones that change, between the gates of their requirements and of their dependents', () => {
    const changed = {layers: {section: {replicas: 3}}}

    const result = kinds(inputsOf({keystone: changed, mariadb: changed}, allDeployed(), named('keystone')))

    expect(result).toEqual({mariadb: 'check', keystone: 'upgrade', glance: 'check', horizon: 'check'})
  })

  test('need no checks if they are unchanged', () => {
    const result = kinds(inputsOf({}, allDeployed(), named('keystone')))

    expect(result).toEqual({mariadb: 'unchanged', keystone: 'unchanged'})
  })

  test.each([
    {what: 'it', records: [], message: 'openstack/mariadb is not installed (required by keystone, glance)'},
    {
      what: 'the named one',
      records: [recordOf(desiredOf('mariadb'))],
      message: 'openstack/keystone is not installed (required by glance, horizon)',
    },
  ])('are refused when $what is not installed', ({records, message}) => {
    const act = () => makePlan(inputsOf({}, records, named('keystone')))

    expect(act).toThrow(expect.objectContaining({code: 'KK_NOT_INSTALLED', message}))
  })

  test('may be new if the verb installs', () => {
    const result = kinds(inputsOf({}, [recordOf(desiredOf('mariadb'))], named('keystone', true)))

    expect(result).toEqual({mariadb: 'check', keystone: 'install'})
  })
})

describe('a plan of all installed releases', () => {
  const mode: PlanMode = {kind: 'installed'}

  test('changes them, installs no new ones, and notes that', () => {
    const changed = {layers: {section: {replicas: 3}}}
    const records = allDeployed().filter(({release}) => release !== id('horizon'))

    const plan = makePlan(inputsOf({mariadb: changed, horizon: changed}, records, mode))

    expect(plan.actions.map(({release, kind}) => `${releaseName(release)} ${kind}`)).toEqual([
      'mariadb upgrade',
      'keystone check',
      'glance check',
    ])
    expect(plan.notes).toEqual(['not installed, and left so: horizon; kk deploy installs'])
  })

  test('needs their requirements', () => {
    const records = allDeployed().filter(({release}) => release !== id('mariadb'))

    expect(() => makePlan(inputsOf({}, records, mode))).toThrow(
      expect.objectContaining({code: 'KK_NOT_INSTALLED'}),
    )
  })
})

test('a release that a plan only uses is shown with its installed chart', () => {
  const mode: PlanMode = {kind: 'named', releases: [id('glance')], install: false}

  const {actions} = makePlan(
    inputsOf({keystone: {version: '0.2.0'}, glance: {version: '0.2.0'}}, allDeployed(), mode),
  )

  const versions = actions.map(({release, kind, chart}) => [releaseName(release), kind, chart.version])
  expect(versions).toContainEqual(['keystone', 'check', '0.1.0'])
  expect(versions).toContainEqual(['glance', 'upgrade', '0.2.0'])
})

test('the plan is the same for any order of observed and desired releases', () => {
  const shuffled = arbitraryGraph().chain((graph) => {
    const desired = graph.releases.map((release) =>
      desiredOf(releaseName(release), {
        requires: graph.requirements.get(release)!.map(({to, kind}) => `${to}:${kind}`),
      }),
    )
    const records = [
      ...desired.filter((_, index) => index % 2 === 0).map((one) => recordOf(one)),
      recordOf(desiredOf('old')),
    ]
    return fc.record({
      graph: fc.constant(graph),
      desired: fc.constant(desired),
      records: fc.constant(records),
      desiredShuffled: fc.shuffledSubarray(desired, {minLength: desired.length}),
      recordsShuffled: fc.shuffledSubarray(records, {minLength: records.length}),
    })
  })

  fc.assert(
    fc.property(shuffled, ({graph, desired, records, desiredShuffled, recordsShuffled}) => {
      const base = inputsOf({}, [])
      const plan = (some: typeof desired, observed: typeof records) =>
        makePlan({...base, graph, desired: new Map(some.map((one) => [one.release, one])), records: observed})

      expect(plan(desiredShuffled, recordsShuffled)).toEqual(plan(desired, records))
    }),
  )
})

describe('a wanted release that kk did not install', () => {
  const foreign = [recordOf(desiredOf('mariadb')), bareRecord(id('keystone'))]

  test('is refused', () => {
    expect(() => makePlan(inputsOf({}, foreign))).toThrow(expect.objectContaining({code: 'KK_FOREIGN'}))
  })

  test('is shown as one to adopt if requested, and its dependents as if it were installed', () => {
    const {actions, bystanders} = makePlan({...inputsOf({}, foreign), showForeign: true})

    expect(actions.map(({release, kind}) => `${kind} ${release}`)).toEqual([
      'check openstack/mariadb',
      'install openstack/glance',
      'install openstack/horizon',
    ])
    expect(actions[2]!.requires).toEqual([])
    expect(bystanders).toEqual([
      {release: 'openstack/keystone', state: 'to-adopt', note: expect.stringContaining('kk adopt keystone')},
    ])
  })

  test('is not among the dependents that are checked after a change', () => {
    const changed = [recordOf(desiredOf('mariadb', {version: '0.0.9'})), bareRecord(id('keystone'))]

    const {actions} = makePlan({...inputsOf({}, changed), showForeign: true})

    expect(actions.map(({release, kind}) => `${kind} ${release}`)).toEqual([
      'upgrade openstack/mariadb',
      'install openstack/glance',
      'install openstack/horizon',
    ])
  })

  test('is also shown if it is named', () => {
    const mode: PlanMode = {kind: 'named', releases: [id('keystone')], install: false}

    const {actions, bystanders} = makePlan({...inputsOf({}, foreign, mode), showForeign: true})

    expect(actions.map(({release}) => release)).toEqual(['openstack/mariadb'])
    expect(bystanders.map(({state}) => state)).toEqual(['to-adopt'])
  })
})
