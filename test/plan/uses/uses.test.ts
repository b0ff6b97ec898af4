import {describe, expect, it} from 'vitest'
import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import {affected} from '../../../src/plan/dependents/affected.ts'
import {makeDestroyPlan} from '../../../src/plan/removal/make-destroy-plan.ts'
import {makeRemovalPlan} from '../../../src/plan/removal/make-removal-plan.ts'
import {orphans} from '../../../src/plan/removal/orphans.ts'
import {makeRollbackPlan} from '../../../src/plan/rollback/make-rollback-plan.ts'
import {usersOf, usesOf} from '../../../src/plan/uses/uses.ts'
import {graphOf, id} from '../../graph/graph-of.ts'
import {bareRecord, desiredOf, recordOf} from '../fixtures.ts'

const NO_GRAPH = graphOf({})
const plan = {
  environment: 'all-in-one',
  file: 'all-in-one.yaml',
  cluster: {context: 'kk', server: 'https://127.0.0.1:6443', uid: 'u', version: 'v1.36.0'},
}
const isProtected = () => false

/**
 * The revisions of `api`, 1 to N, by their states; `requires` has the requirements of each, by default `db`.
 */
function historyOf(
  states: readonly string[],
  requires: Readonly<Record<number, readonly string[]>> = {},
): readonly ReleaseRecord[] {
  return states.map((status, index) => {
    const desired = desiredOf('api', {requires: requires[index + 1] ?? ['db']})
    return recordOf(desired, {revision: index + 1, status})
  })
}

const db = recordOf(desiredOf('db', {stated: false}))

describe.each([
  ['only superseded revisions, for the record of the last is lost', ['superseded']],
  ['several superseded ones', ['superseded', 'superseded']],
  ['a rollback that failed, which supersedes what was deployed', ['superseded', 'superseded', 'failed']],
  ['only failed ones', ['failed', 'failed']],
  ['only a pending one', ['pending-install']],
  ['a pending upgrade after a lost one', ['superseded', 'pending-upgrade']],
  ['a removal that was cut short', ['superseded', 'uninstalling']],
  ['a status that nobody knows', ['unknown']],
])('a history of %s', (_, states) => {
  const revisions = [...historyOf(states), db]
  const uses = usesOf({revisions})

  it('makes it a user for every removal', () => {
    const removal = {...plan, uses, isProtected, releases: [id('db')], withDependents: false}

    expect(usersOf(uses, [id('db')])).toEqual([id('api')])
    expect(orphans(uses)).toEqual([])
    expect(() => makeRemovalPlan(removal)).toThrow(
      expect.objectContaining({code: 'KK_HAS_DEPENDENTS', exit: 3}),
    )
    const theirs = usesOf({revisions: [...historyOf(states), recordOf(desiredOf('db', {owner: 'other'}))]})
    const {actions, bystanders} = makeDestroyPlan({
      ...plan,
      environment: 'other',
      uses: theirs,
      isProtected,
      confirmed: new Set(),
    })
    expect(actions).toEqual([])
    expect(bystanders).toMatchObject([{release: id('db'), state: 'kept'}])
  })

  it('has it checked after a change or rollback of its requirement, unless it is being removed', () => {
    const older = recordOf(desiredOf('db', {version: '0.0.9'}), {revision: 1, status: 'superseded'})
    const isGoing = states.at(-1) === 'uninstalling'

    const changed = affected([id('db')], {graph: NO_GRAPH, revisions})
    const back = makeRollbackPlan({
      ...plan,
      targets: [{release: id('db'), revision: 1, reason: 'back'}],
      revisions: [...historyOf(states), older, recordOf(desiredOf('db', {version: '0.2.0'}))],
      migrations: new Map(),
      keepSchema: false,
      notes: [],
    })

    expect(changed.map(({release}) => release)).toEqual(isGoing ? [] : [id('api')])
    expect(back.actions.map(({release, kind}) => `${kind} ${release}`)).toEqual(
      isGoing ? [`rollback ${id('db')}`] : [`rollback ${id('db')}`, `check ${id('api')}`],
    )
  })
})

describe('a user of a release', () => {
  it('is no release of which only the history was kept', () => {
    const uses = usesOf({revisions: [...historyOf(['superseded', 'uninstalled']), db]})

    expect(usersOf(uses, [id('db')])).toEqual([])
  })

  it('is no release that used it only before its deployed revision', () => {
    const uses = usesOf({revisions: [...historyOf(['superseded', 'deployed'], {2: []}), db]})

    expect(usersOf(uses, [id('db')])).toEqual([])
  })

  it('is a release whose deployed revision uses it, even if a later failed one does not', () => {
    const revisions = [...historyOf(['deployed', 'failed'], {2: []}), db]

    expect(usersOf(usesOf({revisions}), [id('db')])).toEqual([id('api')])
    expect(affected([id('db')], {graph: NO_GRAPH, revisions})).toMatchObject([{release: id('api')}])
  })

  it('is a release that requires it in the file, whatever the cluster has, except by edges that only order', () => {
    const wanted = graphOf({db: [], api: ['db'], web: []})
    const soft = {from: id('web'), to: id('db'), kind: 'ready', evidence: [], soft: true} as const
    const withSoft = {...wanted, requirements: new Map([...wanted.requirements, [id('web'), [soft]]])}

    expect(usersOf(usesOf({wanted: withSoft, revisions: []}), [id('db')])).toEqual([id('api')])
  })

  it('is also a release that uses it through releases of other environments that the file does not have', () => {
    const shop = recordOf(desiredOf('c/shop', {owner: 'three', requires: ['b/web']}))
    const web = recordOf(desiredOf('b/web', {owner: 'two', requires: ['api']}))

    const uses = usesOf({wanted: graphOf({db: [], api: ['db']}), revisions: [shop, web]})

    expect(usersOf(uses, [id('db')])).toEqual([id('api'), id('b/web'), id('c/shop')])
  })

  it('has each edge once, that of the file first, and none to a missing release', () => {
    const wanted = graphOf({db: [], api: ['db:applied']})
    const recorded = recordOf(desiredOf('api', {requires: ['db', 'gone']}))

    const {graph} = usesOf({wanted, revisions: [recorded, db]})

    expect(graph.requirements.get(id('api'))).toMatchObject([{to: id('db'), kind: 'applied'}])
  })

  it('is also a foreign release whose readable chart requires it', () => {
    const wiki = bareRecord(id('b/wiki'))
    const annotations = {'kk.openstack.org/requires': 'db'}

    const unread = usesOf({revisions: [wiki, db]})
    const read = usesOf({
      revisions: [wiki, db],
      factsOf: ({release}) => ({
        readable: true,
        annotations: release === wiki.release ? annotations : {},
        namespaces: [],
      }),
    })

    expect(usersOf(unread, [id('db')])).toEqual([])
    expect(usersOf(read, [id('db')])).toEqual([wiki.release])
  })
})
