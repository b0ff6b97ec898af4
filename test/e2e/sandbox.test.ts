import {join} from 'node:path'
import {describe, expect, inject, it, onTestFinished} from 'vitest'
import {get, kubectl, makeNamespace, uniqueName} from './support/cluster.ts'
import {kk} from './support/kk.ts'
import {processesBelow} from './support/sandbox-processes.ts'
import {home, newName, sandbox} from './support/sandboxes.ts'

function shell(name: string, ...command: string[]) {
  return kk(['sandbox', 'shell', '--sandbox-name', name, '--', ...command])
}

describe('kk sandbox up', () => {
  it('does nothing if the sandbox is running, and reports that', async () => {
    const {sandbox: name, state} = inject('run')
    const before = await processesBelow(join(state, 'kk/sandboxes', name))

    const again = await sandbox('up', name, '--nodes', '7')

    expect(again.exitCode).toBe(0)
    expect(again.stderr).toBe(`the sandbox ${name} is already running, with 3 nodes`)
    expect(await processesBelow(home(name))).toEqual(before)
  })

  it('starts controllers without leader election, so that no Lease can be lost on a busy machine', async () => {
    const {sandbox: name} = inject('run')

    const {stdout} = await shell(
      name,
      'kubectl',
      'get',
      'leases',
      '--namespace',
      'kube-system',
      '--output',
      'name',
    )

    expect(stdout.split('\n').filter((lease) => !lease.includes('/apiserver-'))).toEqual([])
  })

  it('names missing binaries, and how to get them', async () => {
    const env = {KK_TOOLBOX: '/nonexistent', PATH: '/nonexistent'}

    const up = await kk(['sandbox', 'up', '--sandbox-name', newName()], {env})

    expect(up.exitCode).toBe(2)
    expect(up.stderr).toContain('KK_TOOLBOX: etcd, kube-apiserver')
    expect(up.stderr).toContain('npm run toolbox')
  })
})

describe('kk sandbox down', () => {
  it('reports if there is no sandbox to remove', async () => {
    const {exitCode, stderr} = await sandbox('down', 'nothing')

    expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: 'there is no sandbox nothing'})
  })
})

describe('kk sandbox status', () => {
  it('prints nodes, version and access to the sandbox', async () => {
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

  it('exits with 1 if there is no sandbox', async () => {
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

  it('runs the shell of the user without a command', async () => {
    const {sandbox: name, kubeconfig} = inject('run')

    const {stdout} = await kk(['sandbox', 'shell', '--sandbox-name', name], {
      env: {SHELL: '/bin/sh', KUBECONFIG: '/nonexistent'},
      input: 'echo $KUBECONFIG\n',
    })

    expect(stdout).toBe(kubeconfig)
  })

  it('prints how to start a sandbox that is not running', async () => {
    const {exitCode, stderr} = await shell('nothing', 'true')

    expect(exitCode).toBe(1)
    expect(stderr).toContain('kk sandbox up --sandbox-name nothing')
  })
})

describe('a claim in a sandbox', () => {
  it.each(['Immediate', 'WaitForFirstConsumer'])(
    'has a volume for its pod if no running provisioner serves its class, with the mode %s',
    async (volumeBindingMode) => {
      const namespace = await makeNamespace('claim')
      const name = uniqueName('claim')
      const metadata = {name, namespace}
      onTestFinished(async () => void (await kubectl(['delete', 'storageclass', name])))
      const claim = {
        storageClassName: name,
        accessModes: ['ReadWriteOnce'],
        resources: {requests: {storage: '64Mi'}},
      }
      const pod = {
        containers: [{name: 'user', image: 'kk', volumeMounts: [{name: 'data', mountPath: '/data'}]}],
        volumes: [{name: 'data', persistentVolumeClaim: {claimName: name}}],
      }
      const items = [
        {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'StorageClass',
          metadata: {name},
          provisioner: 'nobody.example.org',
          volumeBindingMode,
        },
        {apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: claim},
        {apiVersion: 'v1', kind: 'Pod', metadata, spec: pod},
      ]

      await kubectl(['create', '--filename', '-'], {input: {apiVersion: 'v1', kind: 'List', items}})
      await kubectl([
        ...['wait', '--namespace', namespace, `pod/${name}`, '--for=condition=Ready', '--timeout=30s'],
      ])

      const {spec} = await get<{spec: {volumeName: string}}>('pvc', name, '--namespace', namespace)
      const volume = await get<{spec: {storageClassName: string}}>('pv', spec.volumeName)
      expect(volume.spec.storageClassName).toBe(name)
    },
  )
})
