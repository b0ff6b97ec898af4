import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {atNight} from '../support/night.ts'
import {waitFor} from './support/cluster.ts'
import {DRIVEN, describeViaOperator} from './support/describe-via-operator.ts'
import {allInOne} from './support/environment.ts'
import {done} from './support/guarded.ts'
import {kk} from './support/kk.ts'
import {
  messageOf,
  type OperatedCluster,
  type OperatedEnvironment,
  type RunningOperator,
  startOperatedCluster,
} from './support/operator.ts'
import {processesBelow} from './support/sandbox-processes.ts'

const RELEASES = '/apis/kk.openstack.org/v1alpha1/namespaces/kk-system/releases'

interface Releases {
  readonly items: readonly {
    readonly spec: {readonly release: {readonly namespace: string; readonly name: string}}
    readonly status?: {readonly conditions?: readonly {readonly status: string}[]}
  }[]
}

interface Kk {
  readonly releases: object
}

// The numbers are those of the proof of the design: what each test shows of it.
let cluster: OperatedCluster
let operator: RunningOperator
beforeAll(async () => {
  cluster = await startOperatedCluster(17 + DRIVEN)
  operator = await cluster.start()
  return async () => {
    operator.signal('SIGTERM')
    const {exitCode, stderr} = await operator.ended()
    await cluster.end()
    expect(exitCode, stderr).toBe(0)
  }
})

/** `kk deploy` of the same file, as somebody at a command line. */
async function deployByHand(environment: OperatedEnvironment, text: string, ...words: readonly string[]) {
  const file = join(inject('run').home, `${environment.name}.yaml`)
  await writeFile(file, text)
  return kk(['deploy', file, '--sandbox-name', cluster.sandbox, ...words])
}

/** Returns the process of the helm that makes a revision of an environment, once its record exists. */
async function helmOf({name, revisions}: OperatedEnvironment, revision: string): Promise<number | undefined> {
  const hasBegun = (await revisions()).includes(revision)
  const helms = await processesBelow(inject('run').toolbox)
  const ofRelease = helms.find(({commandLine}) => {
    const words = commandLine.split('\0')
    return words.includes(revision.split(' ')[0]!) && words.includes(name)
  })
  return hasBegun ? ofRelease?.pid : undefined
}

describe.concurrent('the operator', () => {
  it('deploys in order, reports each release, and starts no helm for unchanged releases', async () => {
    const environment = cluster.environment()
    await environment.apply(environment.text())

    const {status} = await environment.has('Ready', 'True')
    const told = await done(cluster.operator('status', environment.name, '--output', 'json'))
    const before = (await operator.helmCalls()).filter((call) => call.includes(environment.name))
    await done(
      cluster.kubectl(
        'delete',
        'release.kk.openstack.org',
        `${environment.name}.${environment.name}.db`,
        '--namespace',
        'kk-system',
      ),
    )
    const rewritten = await waitFor(
      async () => {
        const {items} = await cluster.ask<Releases>({path: RELEASES})
        const rows = items
          .filter(({spec}) => spec.release.namespace === environment.name)
          .map(
            ({spec, status}) =>
              `${spec.release.namespace}/${spec.release.name} ${status?.conditions?.[0]?.status}`,
          )
        return rows.length === 2 && rows.every((row) => /True|False/.test(row)) && rows.toSorted()
      },
      {until: 'the Release that was deleted is written again'},
    )

    expect(status).toMatchObject({summary: '2/2', plan: {actions: []}})
    expect(JSON.parse(told)).toMatchObject({
      leader: expect.stringContaining('operator '),
      environments: [{name: environment.name, phase: 'ready', approve: null}],
    })
    expect(rewritten).toEqual([`${environment.name}/api True`, `${environment.name}/db True`])
    expect(await environment.revisions()).toEqual(['api 1', 'db 1'])
    expect((await operator.helmCalls()).filter((call) => call.includes(environment.name))).toEqual(before)
  })

  it('20: leaves a paused environment to the command line, which cannot change a managed one', async () => {
    const environment = cluster.environment()
    await environment.apply(environment.text())
    await environment.has('Ready', 'True')
    const changed = environment.text({api: {replicas: 2}})

    const dry = await deployByHand(environment, changed, '--dry-run')
    const file = join(inject('run').home, `${environment.name}.yaml`)
    const removal = await kk(['remove', file, 'api', '--dry-run', '--sandbox-name', cluster.sandbox])
    const refused = await deployByHand(environment, changed)
    await done(cluster.operator('pause', environment.name))
    const paused = await deployByHand(environment, changed)
    const between = await environment.revisions()
    await done(cluster.operator('resume', environment.name))
    await environment.has('Ready', 'True')

    expect(dry).toMatchObject({exitCode: 3, stdout: expect.stringContaining('upgrade')})
    expect(dry.stderr).toContain('KK_OPERATED')
    expect(removal).toMatchObject({exitCode: 3, stderr: expect.stringContaining('KK_OPERATED')})
    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toContain('KK_OPERATED')
    expect(refused.stderr).toContain(`kk operator pause ${environment.name}`)
    expect(paused.exitCode, paused.stderr).toBe(0)
    expect(between).toEqual(['api 1', 'api 2', 'db 1'])
    // What the objects in kk-system say counts again.
    expect(await environment.revisions()).toEqual(['api 1', 'api 2', 'api 3', 'db 1'])
  })

  it('retries once automatically if another process has killed its helm', async () => {
    const environment = cluster.environment()
    await environment.apply(environment.text())
    await environment.has('Ready', 'True')

    const job = {hook: 'post-upgrade', pod: {'complete-after': '10s'}}
    await environment.apply(environment.text({db: {replicas: 2, job}}))
    const helm = await waitFor(() => helmOf(environment, 'db 2'), {until: 'helm upgrades db'})
    process.kill(helm, 'SIGKILL')
    await environment.has('Ready', 'True')

    expect(await operator.changes(environment)).toEqual([
      ...['install db', 'install api'],
      ...['upgrade db', 'upgrade db'],
    ])
    expect(await environment.states()).toEqual(['api 1 deployed', 'db 3 deployed'])
  })

  it('has the notes of the preflight checks in the status', async () => {
    const environment = cluster.environment()
    const {kk: own, ...sections} = JSON.parse(environment.text({db: {nodeSelector: {no: 'such'}}})) as {
      kk: Kk
    }
    const db = {chart: 'workload', timeout: '20s'}
    await environment.apply(JSON.stringify({kk: {...own, releases: {...own.releases, db}}, ...sections}))

    const notes = await waitFor(async () => (await environment.read()).status?.plan?.notes, {
      until: 'the plan has notes',
      seconds: 120,
    })
    const {stdout} = await cluster.operator('status', environment.name)

    expect(notes).toContainEqual(
      expect.stringMatching(/^Deployment\/db of db: its pods fit none of the 1 nodes/),
    )
    expect(stdout).toContain(`  note: ${notes[0]}`)
  })

  it('tests the releases at a stop, and asks for approval only once they pass', async () => {
    const environment = cluster.environment()
    const approval = {after: ['db'], test: true}
    const tested = async () => {
      const calls = await operator.helmCalls()
      return calls.filter((call) => call.startsWith('test ') && call.includes(environment.name)).length
    }
    await environment.apply(environment.text({db: {test: {pod: {fail: 'JobFailed'}}}}), {approval})
    const held = await environment.has('Stalled', 'True', 'Failed')
    const heldAt = await environment.revisions()

    await environment.apply(environment.text({db: {test: {pod: {}}}}), {approval})
    const stopped = await environment.has('Approved', 'False', 'WaitingForApproval')
    const stoppedAt = await environment.revisions()
    await done(cluster.operator('approve', environment.name, stopped.status!.plan!.digest))
    const {status} = await environment.has('Ready', 'True')

    expect(messageOf(held, 'Ready')).toMatch(/^tests: .*helm test failed: .*Pod\/db-test/)
    expect(messageOf(held, 'Ready')).toContain(`kk operator retry ${environment.name}`)
    expect(heldAt).toEqual(['db 1'])
    expect(messageOf(stopped, 'Ready')).toContain('stopped after db')
    expect(stoppedAt).toEqual(['db 1', 'db 2'])
    expect(await environment.revisions()).toEqual(['api 1', 'db 1', 'db 2'])
    expect(await tested()).toBe(3)
    expect(status?.tested).toEqual({state: expect.any(String)})
  })

  atNight(() => {
    it('1: adopts releases of the command line without starting helm and without writing Helm records', async () => {
      const environment = cluster.environment()
      const text = environment.text()
      const {exitCode, stderr} = await deployByHand(environment, text)
      expect(exitCode, stderr).toBe(0)
      const file = join(inject('run').home, `${environment.name}.yaml`)

      await done(cluster.operator('adopt', file))
      await environment.has('Paused', 'True')
      await done(cluster.operator('resume', environment.name))
      await environment.has('Ready', 'True')

      expect(await environment.revisions()).toEqual(['api 1', 'db 1'])
      const calls = await operator.helmCalls()
      expect(calls.filter((call) => /install|upgrade/.test(call) && call.includes(environment.name))).toEqual(
        [],
      )
    })

    it("deploys charts of kk's own with the rights that it was installed with", async () => {
      const environment = cluster.environment()
      const {kk: _, ...values} = await allInOne()
      // They need facts of the cluster, and a Role that the chart brings along.
      await environment.apply(
        JSON.stringify({
          kk: {namespace: environment.name},
          global: values['global'],
          mariadb: values['mariadb'],
          memcached: values['memcached'],
        }),
      )

      await environment.has('Ready', 'True')

      expect(await environment.revisions()).toEqual(['mariadb 1', 'memcached 1'])
    })

    it('18: starts only the approved plan', async () => {
      const environment = cluster.environment()
      await environment.apply(environment.text(), {approval: {required: ['upgrade']}})
      await environment.has('Ready', 'True')
      await environment.apply(environment.text({api: {replicas: 2}}), {approval: {required: ['upgrade']}})
      const first = await environment.has('Approved', 'False', 'WaitingForApproval')
      await environment.apply(environment.text({api: {replicas: 3}}), {approval: {required: ['upgrade']}})
      const digestOf = async () => (await environment.read()).status?.plan?.digest
      const old = first.status!.plan!.digest
      await waitFor(async () => (await digestOf()) !== old, {until: 'the plan is another one'})

      const late = await cluster.operator('approve', environment.name, old)
      const between = await environment.revisions()
      await done(cluster.operator('approve', environment.name, (await digestOf())!))
      await environment.has('Ready', 'True')

      expect(messageOf(first, 'Ready')).toContain(`kk operator approve ${environment.name} ${old}`)
      expect(late.exitCode).toBe(3)
      expect(late.stderr).toContain('KK_MOVED')
      expect(between).toEqual(['api 1', 'db 1'])
      expect(await environment.revisions()).toEqual(['api 1', 'api 2', 'db 1'])
    })

    it('does not retry a failed plan before a retry is requested or the inputs change', async () => {
      const environment = cluster.environment()
      await environment.apply(environment.text({db: {job: {pod: {fail: 'JobFailed'}}}}))
      const failed = await environment.has('Stalled', 'True', 'Failed')
      const before = await environment.revisions()

      await done(cluster.operator('retry', environment.name))
      const again = await waitFor(
        async () => {
          const {status} = await environment.read()
          return status?.run !== failed.status?.run && status?.retried !== undefined && status
        },
        {until: 'it was tried again'},
      )
      await environment.apply(environment.text())
      await environment.has('Ready', 'True')

      expect(messageOf(failed, 'Ready')).toContain(`${environment.name}/db has failed`)
      expect(messageOf(failed, 'Ready')).toContain(`kk operator retry ${environment.name}`)
      expect(failed.status?.conditions?.some(({type}) => type === 'Reconciling')).toBe(false)
      expect(before).toEqual(['db 1'])
      expect(again.failed).toBeDefined()
    })

    it('reports errors in an environment file, and changes nothing', async () => {
      const environment = cluster.environment()
      await environment.apply('api: {')

      const stalled = await environment.has('Stalled', 'True', 'KK_YAML')

      expect(messageOf(stalled, 'Ready')).toContain(`${environment.name}.yaml:1`)
      expect(await environment.revisions()).toEqual([])
    })

    it('removes releases that are no longer in the file only with approval of exactly that removal', async () => {
      await cluster.install('--removal')
      const environment = cluster.environment()
      await environment.apply(environment.text())
      await environment.has('Ready', 'True')
      const {kk: own, db} = JSON.parse(environment.text()) as {kk: object; db: object}
      const less = JSON.stringify({kk: {...own, releases: {db: {chart: 'workload'}}}, db})
      await environment.apply(less)
      const {status} = await environment.has('Unwanted', 'True', 'WaitingForApproval')
      const before = await environment.revisions()

      await done(cluster.operator('approve', environment.name, status!.removal!.digest))
      await waitFor(async () => (await environment.revisions()).join() === 'db 1', {until: 'api is gone'})
      const {status: after} = await environment.has('Ready', 'True')

      expect(status!.removal).toMatchObject({releases: [`${environment.name}/api`], kept: []})
      expect(before).toEqual(['api 1', 'db 1'])
      expect(after!.removal).toBeUndefined()

      // What is installed anew is another release, though its revision and its inputs are the same again.
      await environment.apply(environment.text())
      await waitFor(async () => (await environment.revisions()).join() === before.join(), {
        until: 'api is back',
      })
      await environment.has('Ready', 'True')
      await environment.apply(less)
      const {status: again} = await environment.has('Unwanted', 'True', 'WaitingForApproval')

      expect(again!.removal!.digest).not.toBe(status!.removal!.digest)
      expect(await environment.revisions()).toEqual(before)
    })

    it('stops a removal before the next release if its approval is withdrawn', async () => {
      await cluster.install('--removal')
      const environment = cluster.environment()
      const {kk: own, db, api} = JSON.parse(environment.text()) as {kk: Kk; db: object; api: object}
      const web = {chart: 'workload'}
      const all = {kk: {...own, releases: {...own.releases, web}}, db, api, web: {}}
      await environment.apply(JSON.stringify(all))
      await environment.has('Ready', 'True')
      const finalize = (finalizers: readonly string[] | null) =>
        done(
          cluster.kubectl(
            ...['patch', 'deployment', 'api', '--namespace', environment.name, '--type', 'merge'],
            ...['--patch', JSON.stringify({metadata: {finalizers}})],
          ),
        )
      await finalize(['example.org/hold'])
      await environment.apply(JSON.stringify({kk: {...own, releases: {web}}, web: {}}))
      const {status} = await environment.has('Unwanted', 'True', 'WaitingForApproval')

      await done(cluster.operator('approve', environment.name, status!.removal!.digest))
      await waitFor(async () => !(await environment.revisions()).includes('api 1'), {until: 'api is going'})
      await done(
        cluster.kubectl(
          ...['patch', 'environment.kk.openstack.org', environment.name, '--namespace', 'kk-system'],
          ...['--type', 'merge', '--patch', JSON.stringify({spec: {approval: null}})],
        ),
      )
      await finalize(null)
      const {status: after} = await environment.has('Unwanted', 'True', 'WaitingForApproval')

      expect(status!.removal!.releases).toEqual([`${environment.name}/api`, `${environment.name}/db`])
      expect(after!.removal!.releases).toEqual([`${environment.name}/db`])
      expect(await environment.revisions()).toEqual(['db 1', 'web 1'])
    })

    it('14: removes unshared releases with RemoveUnshared after confirmation', async () => {
      await cluster.install('--removal')
      const [shared, user] = [cluster.environment(), cluster.environment()]
      const {kk: own, api} = JSON.parse(user.text()) as {kk: {releases: object}; api: object}
      const requires = {api: {chart: 'workload', requires: [`${shared.name}/db`]}}
      await shared.apply(shared.text(), {deletionPolicy: 'RemoveUnshared'})
      await shared.has('Ready', 'True')
      await user.apply(JSON.stringify({kk: {...own, releases: requires}, api}))
      await user.has('Ready', 'True')
      const {metadata} = await waitFor(
        async () => {
          const found = await shared.read()
          return (found.metadata.finalizers?.length ?? 0) > 0 && found
        },
        {until: 'the operator knows the policy'},
      )

      const place = ['environment.kk.openstack.org', shared.name, '--namespace', 'kk-system']
      await done(cluster.kubectl('annotate', ...place, `kk.openstack.org/confirm-remove=${metadata.uid}`))
      await done(cluster.kubectl('delete', ...place))
      const events = await done(
        cluster.kubectl(
          'get',
          'events',
          '--namespace',
          'kk-system',
          '--output',
          'jsonpath={.items[*].message}',
        ),
      )

      expect(await shared.revisions()).toEqual(['db 1'])
      expect(await user.revisions()).toEqual(['api 1'])
      expect(events).toContain(
        `removed ${shared.name}/api; ${shared.name}/db stays: used by ${user.name}/api`,
      )
    })

    it('corrects drift without a new revision, except for ignored fields', async () => {
      const environment = cluster.environment()
      const ignore = [{paths: ['/spec/replicas'], target: {kind: 'Deployment'}}]
      await environment.apply(environment.text(), {drift: {mode: 'correct', every: '1s', ignore}})
      await environment.has('Drifted', 'False', 'AsDeployed')
      const api = ['deployment/api', '--namespace', environment.name]
      const fields = 'jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}'
      const get = () => done(cluster.kubectl('get', ...api, '--output', fields))
      const deployed = await get()

      await done(cluster.kubectl('scale', ...api, '--replicas', '3'))
      const ignored = await environment.has('Drifted', 'False', 'Ignored')
      await done(cluster.kubectl('set', 'image', ...api, 'main=registry.example.org/other:1'))
      await waitFor(async () => (await get()) === deployed.replace(/^1 /, '3 '), {
        until: 'its image is corrected, and not its replicas',
      })

      const told = `ignored: ${environment.name}/api Deployment/api spec.replicas`
      expect(messageOf(ignored, 'Drifted')).toContain(told)
      expect(await environment.revisions()).toEqual(['api 1', 'db 1'])
    })

    it('12: keeps every workload when its Environment is deleted, and the command line can continue', async () => {
      const environment = cluster.environment()
      await environment.apply(environment.text())
      await environment.has('Ready', 'True')

      await done(
        cluster.kubectl(
          'delete',
          'environment.kk.openstack.org',
          environment.name,
          '--namespace',
          'kk-system',
        ),
      )
      await environment.isFree()
      const {exitCode, stderr} = await deployByHand(environment, environment.text({api: {replicas: 2}}))

      expect(exitCode, stderr).toBe(0)
      expect(await environment.revisions()).toEqual(['api 1', 'api 2', 'db 1'])
    })
  })
})

describeViaOperator(() => cluster)

atNight(() => {
  it('3: keeps every release when it is uninstalled, and the command line can continue', async () => {
    const environment = cluster.environment()
    await environment.apply(environment.text())
    await environment.has('Ready', 'True')

    await cluster.uninstall()
    await environment.isFree()
    const {exitCode, stderr} = await deployByHand(environment, environment.text({api: {replicas: 2}}))

    expect(exitCode, stderr).toBe(0)
    expect(await environment.revisions()).toEqual(['api 1', 'api 2', 'db 1'])
  })
})
