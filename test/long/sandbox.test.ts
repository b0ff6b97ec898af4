import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, inject, it} from 'vitest'
import {exists} from '../../src/state/files/exists.ts'
import {uniqueName, waitFor} from '../e2e/support/cluster.ts'
import {kk} from '../e2e/support/kk.ts'
import {listeningAddresses, processesBelow} from '../e2e/support/sandbox-processes.ts'
import {home, newName, runs, sandbox} from '../e2e/support/sandboxes.ts'
import {testDirectory} from '../support/test-directory.ts'

const ownName = () => uniqueName(inject('run').sandbox)

function shell(name: string, ...command: string[]) {
  return kk(['sandbox', 'shell', '--sandbox-name', name, '--', ...command])
}

describe('two sandboxes that start concurrently', () => {
  const pair: string[] = []
  let ups: Awaited<ReturnType<typeof kk>>[]
  beforeAll(async () => {
    pair.push(ownName(), ownName())
    ups = await Promise.all(pair.map((name) => sandbox('up', name, '--nodes', '2', '--output', 'json')))
  })
  afterAll(async () => {
    for (const name of pair) await sandbox('down', name)
  })

  it('have separate ports, all on loopback', async () => {
    const servers = ups.map(({stdout}) => JSON.parse(stdout).server as string)
    expect(new Set(servers).size).toBe(2)
    for (const [index, name] of pair.entries()) {
      const pids = (await processesBelow(home(name))).map(({pid}) => pid)
      const loopback = '0100007F'
      expect(ups[index]!.exitCode).toBe(0)
      expect(ups[index]!.stderr).toContain(`the sandbox ${name} is up in `)
      expect(await listeningAddresses(pids)).toEqual(Array.from({length: 6}, () => loopback))
    }
  })

  it('have labelled nodes and a default storage class', async () => {
    const labels = 'openstack-control-plane=enabled,openstack-compute-node=enabled,openvswitch=enabled'
    const [name = ''] = pair

    const nodes = await shell(name, 'kubectl', 'get', 'nodes', '--selector', labels, '--output', 'name')
    const classes = await shell(name, 'kubectl', 'get', 'storageclass')

    expect(nodes.stdout.split('\n')).toEqual(['node/node-1', 'node/node-2'])
    expect(classes.stdout).toContain('general (default)')
  })

  it('are independent: if a component of one has stopped, deploy refuses, and up restarts it with its data', async () => {
    const [other = '', name = ''] = pair
    await shell(name, 'kubectl', 'create', 'namespace', 'kept')
    process.kill(Number(await readFile(join(home(name), 'kwok/clusters/kk/pids/kube-scheduler.pid'), 'utf8')))
    await waitFor(async () => !(await runs(name, 'kube-scheduler')), {until: 'the scheduler has ended'})

    const broken = await sandbox('status', name)
    const well = await sandbox('status', other)
    const deploy = await kk(['deploy', 'environments/all-in-one.yaml', '--yes', '--sandbox-name', name])
    const up = await sandbox('up', name)
    const namespace = await shell(name, 'kubectl', 'get', 'namespace', 'kept', '--output', 'name')

    expect(broken.exitCode).toBe(1)
    expect(broken.stdout).toContain('does not run: kube-scheduler')
    expect(well.exitCode, well.stdout).toBe(0)
    expect(deploy.exitCode).toBe(3)
    expect(deploy.stderr).toContain('KK_SANDBOX_BROKEN')
    expect(deploy.stderr).toContain(`kk sandbox down --sandbox-name ${name}`)
    expect(up.exitCode, up.stderr).toBe(0)
    expect(up.stderr).toContain(`the sandbox ${name} is up again in `)
    expect(namespace.stdout).toBe('namespace/kept')
    expect(await runs(name, 'kube-scheduler')).toBe(true)
  })

  it('leave no process and no file after their removal', async () => {
    for (const name of pair) {
      const down = await sandbox('down', name)

      const left = await readdir(join(home(name), '..'))
      expect(down.exitCode).toBe(0)
      expect(down.stderr).toBe(`the sandbox ${name} is removed`)
      expect(await processesBelow(home(name))).toEqual([])
      expect(left.filter((entry) => entry.includes(name))).toEqual([])
    }
  })
})

describe('kk sandbox up', () => {
  it('cleans up after an interruption', async () => {
    const name = newName()
    const interrupted = sandbox('up', name)
    await waitFor(() => runs(name, 'kube-apiserver'), {until: 'the API server was started'})
    interrupted.kill('SIGINT')

    const {exitCode, stderr} = await interrupted

    expect(exitCode).toBe(130)
    expect(stderr).toContain('KK_INTERRUPTED')
    expect(await processesBelow(home(name))).toEqual([])
    expect(await exists(home(name))).toBe(false)
  })

  it.each([
    ['its directory was made', (name: string) => exists(home(name))],
    ['kwokctl was started', (name: string) => runs(name, 'kwokctl')],
    ['etcd was started', (name: string) => runs(name, 'etcd')],
    ['the last component was started', (name: string) => runs(name, 'kube-scheduler')],
    ['its kubeconfig was written', (name: string) => exists(join(home(name), 'kubeconfig'))],
  ])('cleans up after a sandbox that was killed when %s', async (until, condition) => {
    const name = newName()
    const killed = sandbox('up', name)
    await waitFor(() => condition(name), {until})
    killed.kill('SIGKILL')
    await killed

    const up = await sandbox('up', name)
    const status = await sandbox('status', name)
    await sandbox('down', name)

    expect(up.exitCode).toBe(0)
    expect(up.stderr).toContain('removed the remains of an earlier start')
    expect(status.exitCode).toBe(0)
    expect(await processesBelow(home(name))).toEqual([])
  })

  it("writes nothing outside kk's own directories", async () => {
    const name = newName()
    const elsewhere = testDirectory()
    const env = {HOME: elsewhere}

    await kk(['sandbox', 'up', '--sandbox-name', name], {env})
    await kk(['sandbox', 'status', '--sandbox-name', name], {env})
    await kk(['sandbox', 'shell', '--sandbox-name', name, '--', 'kubectl', 'get', 'nodes'], {env})

    expect(await readdir(elsewhere)).toEqual([])
  })
})
