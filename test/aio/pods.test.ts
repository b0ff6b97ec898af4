import {readdir, readFile, stat} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {afterAll, beforeAll, describe, expect, inject, it} from 'vitest'
import type {Node} from '../../src/sandbox/node/node.ts'
import {waitFor} from '../e2e/support/cluster.ts'
import {testDirectory} from '../support/test-directory.ts'
import {kk, kubectl, makeNamespace, nodeHome, nodeUp} from './support/node.ts'
import {IMAGE, inPod, pushImage, startPod} from './support/pods.ts'
import {aioEnvironment} from './support/run-aio.ts'

let node: Node
let namespace: string
beforeAll(async () => {
  node = await nodeUp()
  await pushImage()
  namespace = await makeNamespace()
})
afterAll(() => kubectl(['delete', 'namespace', namespace]))

describe('a pod of the all-in-one node', () => {
  it('is pulled from the registry, runs, and has logs', async () => {
    await startPod({namespace, name: 'says', script: 'echo said; sleep 1000000'})

    const logs = await kubectl(['logs', '--namespace', namespace, 'says'])
    const answer = await inPod(namespace, 'echo $((6 * 7)) >&1; hostname', 'says')
    const events = await kubectl([
      'get',
      'events',
      '--namespace',
      namespace,
      '--output',
      'name',
      '--field-selector',
      'reason=Pulled',
    ])

    expect(logs).toBe('said')
    expect(answer.split('\n')).toEqual(['42', 'says'])
    expect(events).not.toBe('')
  })

  it('is reachable from kk aio shell', async () => {
    await startPod({namespace, name: 'shell'})
    const exec = ['kubectl', 'exec', '--namespace', namespace, 'shell', '--', '/bin/busybox', 'hostname']

    const {stdout, exitCode} = await kk(['aio', 'shell', '--', ...exec])

    expect({stdout, exitCode}).toEqual({stdout: 'shell', exitCode: 0})
  })

  it('is reachable through kubectl port-forward', async () => {
    const script =
      'busybox mkdir -p /tmp/www; echo forwarded >/tmp/www/index.html; busybox httpd -f -p 8080 -h /tmp/www'
    await startPod({namespace, name: 'forwarded', script: script.replaceAll('busybox', '/bin/busybox')})
    const forward = execa('kubectl', ['port-forward', '--namespace', namespace, 'pod/forwarded', ':8080'], {
      env: {...aioEnvironment(inject('aio')), KUBECONFIG: join(nodeHome(), 'kubeconfig')},
      extendEnv: false,
      reject: false,
    })
    try {
      const port = await new Promise<string>((resolve) => {
        forward.stdout.on('data', (line: Buffer) => {
          const found = /127\.0\.0\.1:(\d+)/.exec(line.toString())
          if (found) resolve(found[1]!)
        })
      })

      const text = await waitFor(
        () =>
          fetch(`http://127.0.0.1:${port}/`).then(
            (answer) => answer.text(),
            () => undefined,
          ),
        {until: 'the pod answers through the port', seconds: 30},
      )

      expect(text).toBe('forwarded\n')
    } finally {
      forward.kill('SIGTERM')
      await forward
    }
  })

  it('can mount only if it is privileged', async () => {
    const mount = '/bin/busybox mkdir -p /tmp/m && /bin/busybox mount -t tmpfs none /tmp/m && echo mounted'
    await startPod({namespace, name: 'privileged', container: {securityContext: {privileged: true}}})
    await startPod({namespace, name: 'plain'})

    const privileged = await inPod(namespace, mount, 'privileged')
    const plain = inPod(namespace, mount, 'plain')

    expect(privileged).toBe('mounted')
    await expect(plain).rejects.toThrow('permission denied')
  })

  it('with hostNetwork has the address and interfaces of the machine, and resolves Services', async () => {
    await startPod({
      namespace,
      name: 'host-network',
      spec: {hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet'},
    })

    const address = await kubectl([
      'get',
      'pod',
      '--namespace',
      namespace,
      'host-network',
      '--output',
      'jsonpath={.status.podIP}',
    ])
    const links = await inPod(namespace, '/bin/busybox ip -o link', 'host-network')
    const lookup = await inPod(
      namespace,
      '/bin/busybox nslookup kubernetes.default.svc.cluster.local',
      'host-network',
    )

    expect(address).toBe(node.address)
    expect(links).toContain('kk-aio0')
    expect(lookup).toContain('10.214.0.1')
  })

  it('sees the kubelet only with hostPID', async () => {
    await startPod({namespace, name: 'host-pid', spec: {hostPID: true}})
    await startPod({namespace, name: 'own-pid'})

    const all = await inPod(namespace, '/bin/busybox ps', 'host-pid')
    const own = await inPod(namespace, '/bin/busybox ps', 'own-pid')

    expect(all).toContain('kubelet')
    expect(own).not.toContain('kubelet')
  })
})

describe('volumes of the all-in-one node', () => {
  it('with hostPath are directories of this machine', async () => {
    const directory = testDirectory()
    const volumes = [{name: 'host', hostPath: {path: directory, type: 'Directory'}}]
    await startPod({
      namespace,
      name: 'host-path',
      container: {volumeMounts: [{name: 'host', mountPath: '/host'}]},
      spec: {volumes},
    })

    await inPod(namespace, 'echo written >/host/file', 'host-path')

    expect(await readFile(join(directory, 'file'), 'utf8')).toBe('written\n')
    await kubectl(['delete', 'pod', '--namespace', namespace, 'host-path'])
  })

  it('with emptyDir are shared by the containers of a pod, and deleted with it', async () => {
    const mounts = [{name: 'shared', mountPath: '/shared'}]
    const writer = {
      ...{name: 'writer', image: IMAGE, volumeMounts: mounts},
      args: ['sh', '-c', 'echo shared >/shared/file'],
    }
    await startPod({
      namespace,
      name: 'empty-dir',
      container: {volumeMounts: mounts},
      spec: {volumes: [{name: 'shared', emptyDir: {}}], initContainers: [writer]},
    })

    const content = await inPod(namespace, '/bin/busybox cat /shared/file', 'empty-dir')
    const uid = await kubectl([
      'get',
      'pod',
      '--namespace',
      namespace,
      'empty-dir',
      '--output',
      'jsonpath={.metadata.uid}',
    ])
    await kubectl(['delete', 'pod', '--namespace', namespace, 'empty-dir'])

    expect(content).toBe('shared')
    await waitFor(
      async () => !(await readdir(join(nodeHome(), 'node/machine/var-lib-kubelet/pods'))).includes(uid),
      {
        until: "the kubelet has removed the pod's directory",
      },
    )
  })
})

describe('a claim of the all-in-one node', () => {
  const claim = (name: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {name, namespace},
    spec: {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}},
  })
  const claiming = (name: string, pod: string, security = {}) => ({
    ...{namespace, name: pod},
    container: {volumeMounts: [{name: 'data', mountPath: '/data'}]},
    spec: {volumes: [{name: 'data', persistentVolumeClaim: {claimName: name}}], ...security},
  })
  const volumes = () => readdir(join(nodeHome(), 'node/volumes'))

  it('gets a directory with its first pod, keeps its data for the next pod, and deletes it with the claim', async () => {
    await kubectl(['create', '--filename', '-'], claim('kept'))
    const before = await volumes()
    await startPod(claiming('kept', 'first'))
    await inPod(namespace, 'echo kept >/data/file', 'first')
    await kubectl(['delete', 'pod', '--namespace', namespace, 'first'])
    await startPod(claiming('kept', 'second'))

    const content = await inPod(namespace, '/bin/busybox cat /data/file', 'second')
    const during = await volumes()
    await kubectl(['delete', 'pod', '--namespace', namespace, 'second'])
    await kubectl(['delete', 'pvc', '--namespace', namespace, 'kept'])

    expect(before.filter((name) => name.startsWith(namespace))).toEqual([])
    expect(content).toBe('kept')
    expect(during.filter((name) => name.startsWith(`${namespace}_kept_`))).toHaveLength(1)
    await waitFor(async () => !(await volumes()).some((name) => name.startsWith(`${namespace}_kept_`)), {
      until: 'the directory of the claim is removed',
    })
  })

  it('belongs to the fsGroup of the pod', async () => {
    await kubectl(['create', '--filename', '-'], claim('grouped'))
    const securityContext = {runAsUser: 42_424, runAsGroup: 42_424, fsGroup: 42_424}
    await startPod(claiming('grouped', 'grouped', {securityContext}))

    await inPod(namespace, 'echo mine >/data/file', 'grouped')

    const [directory = ''] = (await volumes()).filter((name) => name.startsWith(`${namespace}_grouped_`))
    const {gid} = await stat(join(nodeHome(), 'node/volumes', directory))
    expect(gid).toBe(42_424)
  })
})
