import {describe, expect, it} from 'vitest'
import type {Change} from '../../../../src/doctor/checks/change.ts'
import {checkPod, serviceUpgrades} from '../../../../src/doctor/checks/upgrade/check-pod.ts'
import {newImages} from '../../../../src/doctor/checks/upgrade/new-images.ts'
import type {Program} from '../../../../src/kubernetes/exec/exec.ts'
import type {ReleaseId} from '../../../../src/release.ts'
import {port} from '../../../kubernetes/support/port.ts'
import {deployment, labels} from './support/service.ts'

function changeOf(before: string, after: string, accepted: readonly string[] = []) {
  const next = {
    objects: [
      {object: deployment('scheduler', after), file: ''},
      {object: deployment('api', after), file: ''},
    ],
    before: [deployment('scheduler', before), deployment('api', before)],
    ...{hooksBefore: [], accepted},
  }
  return {next: new Map([['openstack/cinder' as ReleaseId, next]])} as unknown as Change
}

interface Kind {
  readonly kind: string
}

interface Answers {
  readonly status?: {readonly code: number; readonly stdout: string}
  readonly steps?: readonly object[]
  readonly schema?: object
  readonly more?: object
  readonly container?: object
}

function clusterWith({
  status = {code: 0, stdout: 'Upgrade Check Results'},
  steps = [],
  schema = {},
  more = {},
  container = {state: {running: {}}, containerID: 'containerd://1', ready: true},
}: Answers) {
  const done: string[] = []
  const programs: Program[] = []
  const cluster = {
    objects: port({
      async apply({kind}: Kind, {metadata}: {readonly metadata: {readonly name: string}}) {
        done.push(`create ${kind} ${metadata.name.replace(/-[^-]+$/, '')}`)
        return {metadata: {}}
      },
      async read<T>() {
        return {metadata: {}, status: {containerStatuses: [{name: 'api', ...container}]}} as T
      },
      async list<T>() {
        const pod = (name: string, phase: string) => ({metadata: {name}, status: {phase}})
        return [pod('left', 'Failed'), pod('of-another', 'Running')] as T[]
      },
      async delete(_: Kind, {name}: {readonly name: string}) {
        done.push(`delete ${name.replace(/-[^-]+$/, '')}`)
      },
    }),
    exec: port({
      async run(program: Program) {
        programs.push(program)
        if (program.command[0] !== 'python3') return {stderr: '', ...status}
        return {
          code: 0,
          stdout: JSON.stringify({cinder: {schema: {known: 2, unknown: [], steps, ...schema}, ...more}}),
          stderr: '',
        }
      },
    }),
  }
  return {cluster: cluster as never, done, programs}
}

const FILES = new URL('../../../..', import.meta.url).pathname
const find = async (answers: Answers, change = changeOf('cinder:1', 'cinder:2')) => {
  const {cluster, done, programs} = clusterWith(answers)
  const options = {cluster, files: FILES, onProgress: () => undefined, pullRetries: 0}
  const found = await newImages(options).find(change)
  return {found, done, programs}
}

describe('the pod of a new image', () => {
  it('has the configuration of the running service, and is selected by no Service of it', () => {
    const [upgrade] = serviceUpgrades(changeOf('cinder:1', 'cinder:2'))
    const {metadata, spec} = checkPod(upgrade!, 1)

    expect(metadata).toEqual({
      ...{name: 'cinder-upgrade-check-1', namespace: 'openstack'},
      labels: {...labels('upgrade-check')},
    })
    expect(spec.containers).toEqual([
      {
        ...{name: 'api', image: 'cinder:2', env: [{name: 'A', value: 'b'}]},
        command: ['bash', '-c', 'sudo -E kolla_set_configs && touch /tmp/kk-configured && exec sleep 900'],
        readinessProbe: {
          exec: {command: ['test', '-e', '/tmp/kk-configured']},
          ...{periodSeconds: 1, failureThreshold: 600},
        },
      },
    ])
    // The claim may be mounted on another node.
    expect(spec.volumes).toEqual([
      {name: 'config', secret: {secretName: 'cinder-etc'}},
      {name: 'data', emptyDir: {}},
    ])
    expect(spec).toMatchObject({nodeSelector: {'openstack-control-plane': 'enabled'}})
    expect(spec).not.toHaveProperty('initContainers')
  })

  it('is for services whose image changes, and that have a database', () => {
    const change = changeOf('cinder:1', 'cinder:1')
    const {objects, ...rest} = change.next.get('openstack/cinder')!
    const scheduler = {object: deployment('scheduler', 'cinder:2'), file: ''}
    const next = {...rest, objects: [scheduler, objects[1]!]}

    expect(serviceUpgrades(change)).toEqual([])
    expect(serviceUpgrades({next: new Map([['openstack/cinder', next]])})).toMatchObject([
      {container: 'scheduler', following: {image: 'cinder:2'}},
    ])
  })
})

describe('the check of new images', () => {
  it('asks the service and reads its migrations, and deletes the pod', async () => {
    const {found, done, programs} = await find({})

    expect(found).toEqual([])
    expect(done).toEqual(['delete left', 'create Pod cinder-upgrade-check', 'delete cinder-upgrade-check'])
    expect(programs.map(({command}) => command.join(' '))).toEqual([
      'cinder-status upgrade check',
      'python3 -I -',
    ])
    expect(programs[1]!.input).toContain(String.raw`INPUT = json.loads("{\"scan\":true`)
    expect(programs[1]!.input).not.toContain('FROM volumes')
  })

  it('refuses what the service refuses, and a migration that breaks the old processes', async () => {
    const step = {revision: 'b2', branch: null, does: 'drops the column', table: 'volumes', column: 'host'}
    const answers = {
      status: {
        code: 2,
        stdout: '+---+\n| Upgrade Check Results |\n| Check: Policy File |\n| Result: Failure |\n+---+',
      },
      steps: [{...step, rows: 1, bytes: 1}],
    }

    const {found} = await find(answers)
    const accepted = await find({steps: answers.steps}, changeOf('cinder:1', 'cinder:2', ['b2']))

    expect(found).toMatchObject([
      {
        what: 'openstack/cinder: cinder-status upgrade check of cinder:2: Upgrade Check Results, Check: Policy File, Result: Failure',
        refusal: 'KK_UPGRADE_CHECK',
      },
      {what: expect.stringMatching(/^migration b2 of cinder drops/), refusal: 'KK_UPGRADE_CHECK'},
    ])
    expect(accepted.found).toEqual([{what: expect.stringMatching(/^migration b2/)}])
  })

  it('asks nova for the instances that it moves, and refuses while it does', async () => {
    const of = (image: string) => deployment('api', image, 'nova')
    const next = {objects: [{object: of('nova:2'), file: ''}], before: [of('nova:1')], hooksBefore: []}
    const change = {next: new Map([['openstack/nova' as ReleaseId, next]])} as unknown as Change
    const move = {server: 'a1', kind: 'live-migration', source: 'one', target: 'two'}
    const schema = {known: 1, unknown: []}

    const {found, programs} = await find({more: {cells: {cell1: {schema, moves: [move]}}}}, change)

    expect(programs[1]!.input).toMatch(/"cells.*"queries.*"moves.*FROM migrations/)
    expect(found).toMatchObject([
      {what: 'nova moves instances: the live-migration of a1 from one to two', refusal: 'KK_UPGRADE_CHECK'},
    ])
  })

  it('refuses an image that does not start', async () => {
    const waiting = {reason: 'ImagePullBackOff', message: 'not found'}
    const {found, done} = await find({container: {state: {waiting}}})

    expect(found).toMatchObject([
      {
        what: 'openstack/cinder: cinder:2 does not start: ImagePullBackOff: not found',
        refusal: 'KK_UPGRADE_CHECK',
      },
    ])
    expect(done.at(-1)).toBe('delete cinder-upgrade-check')
  })

  it.each([
    [
      {status: {code: 1, stdout: 'Traceback'}},
      /^not checked: cinder-status upgrade check of cinder:2: Traceback/,
    ],
    [{schema: {known: null}}, /^not checked: the migrations of cinder: they were not found in the image/],
    [{schema: {unknown: ['z9']}}, /^not checked: the migrations of cinder: the image does not know .*: z9/],
  ])('says what it could not check: %j', async (answers, note) => {
    const {found} = await find(answers)

    expect(found).toEqual([{what: expect.stringMatching(note)}])
  })

  it.each([{running: {}}, {terminated: {exitCode: 0, reason: 'Completed'}}])(
    'asks nothing of a simulated pod: %j',
    async (state) => {
      const {found, programs} = await find({container: {state}})

      expect([found, programs]).toEqual([[], []])
    },
  )
})
