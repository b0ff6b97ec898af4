import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, inject, it} from 'vitest'
import {uniqueName, waitFor} from './support/cluster.ts'
import {kk} from './support/kk.ts'
import {listeningAddresses, processesBelow} from './support/sandbox-processes.ts'
import {exists, home, newName, runs, sandbox} from './support/sandboxes.ts'

const ownName = () => uniqueName(inject('run').sandbox)

function shell(name: string, ...command: string[]) {
  return kk(['sandbox', 'shell', '--sandbox-name', name, '--', ...command])
}

describe('two sandboxes that are started at once', () => {
  const pair: string[] = []
  let ups: Awaited<ReturnType<typeof kk>>[]
  beforeAll(async () => {
    pair.push(ownName(), ownName())
    ups = await Promise.all(pair.map((name) => sandbox('up', name, '--nodes', '2', '--output', 'json')))
  })
  afterAll(async () => {
    for (const name of pair) await sandbox('down', name)
  })

  it('have ports of their own, all on loopback', async () => {
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

  it('are told apart: of one a component does not run, and up starts it anew', async () => {
    const [other = '', name = ''] = pair
    process.kill(Number(await readFile(join(home(name), 'kwok/clusters/kk/pids/kube-scheduler.pid'), 'utf8')))
    await waitFor(async () => !(await runs(name, 'kube-scheduler')), {until: 'the scheduler has ended'})

    const broken = await sandbox('status', name)
    const well = await sandbox('status', other)
    const up = await sandbox('up', name)

    expect(broken.exitCode).toBe(1)
    expect(broken.stdout).toContain('does not run: kube-scheduler')
    expect(well.exitCode, well.stdout).toBe(0)
    expect(up.exitCode).toBe(0)
    expect(up.stderr).toContain('removed what an earlier start had left')
  })

  it('leave no process and no file when they are removed', async () => {
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
  it('does nothing, and says so, when the sandbox runs', async () => {
    const {sandbox: name, state} = inject('run')
    const before = await processesBelow(join(state, 'kk/sandboxes', name))

    const again = await sandbox('up', name, '--nodes', '7')

    expect(again.exitCode).toBe(0)
    expect(again.stderr).toBe(`the sandbox ${name} runs already, with 3 nodes`)
    expect(await processesBelow(home(name))).toEqual(before)
  })

  it('undoes what it started when it is interrupted', async () => {
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

  it('names the binaries that are missing, and how to get them', async () => {
    const env = {KK_TOOLBOX: '/nonexistent', PATH: '/nonexistent'}

    const up = await kk(['sandbox', 'up', '--sandbox-name', newName()], {env})

    expect(up.exitCode).toBe(2)
    expect(up.stderr).toContain('KK_TOOLBOX: etcd, kube-apiserver')
    expect(up.stderr).toContain('npm run toolbox')
  })
})

describe('kk sandbox down', () => {
  it('says when there was nothing to remove', async () => {
    const {exitCode, stderr} = await sandbox('down', 'nothing')

    expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: 'there is no sandbox nothing'})
  })
})

describe('kk sandbox status', () => {
  it('tells nodes, version and how to reach the sandbox', async () => {
    const {sandbox: name, kubeconfig, context} = inject('run')

    const {exitCode, stdout} = await sandbox('status', name, '--output', 'json')

    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'running',
      name,
      kubeconfig,
      context,
      kubernetes: 'v1.36.3',
      server: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
      nodes: [1, 2, 3].map((number) => ({name: `node-${number}`, ready: true})),
    })
  })

  it('exits with 1 when there is no sandbox', async () => {
    const {exitCode, stdout} = await sandbox('status', 'nothing', '--output', 'json')

    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout)).toEqual({state: 'absent', name: 'nothing'})
  })
})

describe('kk sandbox shell', () => {
  it.each([
    [['sh', '-c', 'exit 7'], 7],
    [['sh', '-c', 'kill -TERM $$'], 143],
    [['kubectl', 'auth', 'whoami'], 0],
    [['helm', 'list'], 0],
  ])('runs %j and exits with %d', async (command, expected) => {
    const {exitCode} = await shell(inject('run').sandbox, ...command)

    expect(exitCode).toBe(expected)
  })

  it('runs the shell of the user when no command is given', async () => {
    const {sandbox: name, kubeconfig} = inject('run')

    const {stdout} = await kk(['sandbox', 'shell', '--sandbox-name', name], {
      env: {SHELL: '/bin/sh', KUBECONFIG: '/nonexistent'},
      input: 'echo $KUBECONFIG\n',
    })

    expect(stdout).toBe(kubeconfig)
  })

  it('says how to start a sandbox that does not run', async () => {
    const {exitCode, stderr} = await shell('nothing', 'true')

    expect(exitCode).toBe(1)
    expect(stderr).toContain('kk sandbox up --sandbox-name nothing')
  })
})
