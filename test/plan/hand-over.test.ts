import {describe, expect, it} from 'vitest'
import type {ReleaseRecord} from '../../src/kubernetes/records/release-record.ts'
import {adoptable} from '../../src/plan/adoption.ts'
import {expectOwned} from '../../src/plan/decision/decide.ts'
import {makeHandOverPlan} from '../../src/plan/hand-over.ts'
import {EXPORTED_LABEL} from '../../src/plan/labels.ts'
import {makePlan} from '../../src/plan/make-plan.ts'
import {makeDestroyPlan} from '../../src/plan/removal/make-destroy-plan.ts'
import {makeRemovalPlan} from '../../src/plan/removal/make-removal-plan.ts'
import {rollbackSteps} from '../../src/plan/rollback/ways.ts'
import {usesOf} from '../../src/plan/uses/uses.ts'
import {releaseName} from '../../src/release.ts'
import {id} from '../graph/graph-of.ts'
import {bareRecord, desiredOf, recordOf} from './fixtures.ts'
import {allDeployed, inputsOf} from './plan-inputs.ts'

function handed(record: ReleaseRecord, tool = 'flux'): ReleaseRecord {
  return {...record, labels: {...record.labels, [EXPORTED_LABEL]: tool}}
}

/** The four releases, of which these belong to flux. */
function deployedBut(...names: readonly string[]): readonly ReleaseRecord[] {
  return allDeployed().map((each) => (names.includes(releaseName(each.release)) ? handed(each) : each))
}

function handOver(records: readonly ReleaseRecord[], tool = 'flux') {
  return makeHandOverPlan({...inputsOf({}, records), tool})
}

describe('the plan of a hand-over', () => {
  it('marks each release that is installed, and names the others', () => {
    const records = allDeployed().filter(({release}) => release !== id('horizon'))

    const {actions, notes} = handOver(records)

    expect(actions).toMatchObject(
      ['mariadb', 'keystone', 'glance'].map((name) => ({
        release: id(name),
        kind: 'hand-over',
        tool: 'flux',
        revision: 2,
      })),
    )
    expect(notes).toContain('not installed, and not marked: horizon')
  })

  it('leaves releases that the tool already has unchanged', () => {
    const {actions} = handOver(deployedBut('mariadb'))

    expect(actions.map(({kind}) => kind)).toEqual(['unchanged', 'hand-over', 'hand-over', 'hand-over'])
  })

  it.each([
    ['nothing is installed', [], 'KK_NOT_INSTALLED'],
    ['another tool has one', deployedBut('keystone'), 'KK_HANDED_OVER'],
    ['kk did not install one', [bareRecord(id('keystone'))], 'KK_FOREIGN'],
    ['another environment has one', [recordOf(desiredOf('keystone', {owner: 'other'}))], 'KK_OWNER'],
    ['a helm works on one', [recordOf(desiredOf('keystone'), {status: 'pending-upgrade'})], 'KK_PENDING'],
  ])('is refused if %s', (_, records, code) => {
    expect(() => handOver(records, 'argocd')).toThrow(expect.objectContaining({code}))
  })
})

describe('a release that was handed over', () => {
  const refusal = expect.objectContaining({code: 'KK_HANDED_OVER', exit: 3})

  it('is refused by a deploy, with all of its kind, the tool and the way back', () => {
    const deploy = () => makePlan(inputsOf({}, deployedBut('mariadb', 'keystone')))

    expect(deploy).toThrow(
      expect.objectContaining({
        code: 'KK_HANDED_OVER',
        exit: 3,
        message:
          'openstack/mariadb, openstack/keystone were handed over to flux, and kk no longer changes them',
        hint: expect.stringMatching(/suspend its HelmRelease, .*; then kk adopt mariadb keystone$/),
      }),
    )
  })

  it('is used as it is by releases that require it', () => {
    const mode = {kind: 'named', releases: [id('glance')], install: false} as const

    const {actions} = makePlan(inputsOf({glance: {version: '0.2.0'}}, deployedBut('mariadb'), mode))

    expect(actions.map(({release, kind}) => `${kind} ${releaseName(release)}`)).toEqual([
      'check mariadb',
      'check keystone',
      'upgrade glance',
    ])
  })

  it('is neither removed, rolled back nor pruned', () => {
    const record = handed(recordOf(desiredOf('horizon')))
    const uses = usesOf({revisions: [record]})
    const common = {...inputsOf({}, []), uses, isProtected: () => false}
    const target = {release: id('horizon'), revision: 1, reason: 'named'}

    expect(() => makeRemovalPlan({...common, releases: [id('horizon')], withDependents: false})).toThrow(
      refusal,
    )
    expect(() => rollbackSteps({targets: [target], revisions: [record], environment: 'all-in-one'})).toThrow(
      refusal,
    )
    expect(() => expectOwned(record, 'all-in-one')).toThrow(refusal)
  })

  it('stays when its environment is destroyed', () => {
    const uses = usesOf({revisions: [...deployedBut('horizon')]})

    const plan = makeDestroyPlan({
      ...inputsOf({}, []),
      uses,
      isProtected: () => false,
      confirmed: new Set(),
    })

    expect(plan.actions.map(({release}) => releaseName(release))).toEqual(['glance'])
    expect(plan.bystanders.map(({release, note}) => `${releaseName(release)}: ${note}`)).toEqual([
      'horizon: handed over to flux',
      'keystone: required by horizon, which stays',
      'mariadb: required by keystone, which stays',
    ])
  })

  it('comes back only by an adoption', () => {
    const keystone = desiredOf('keystone')

    expect(adoptable(keystone, handed(recordOf(keystone))).isOurs).toBe(false)
  })
})
