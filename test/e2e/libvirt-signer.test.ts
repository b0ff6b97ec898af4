import {cp, mkdir, readFile, readlink, stat, writeFile} from 'node:fs/promises'
import {userInfo} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import {load} from 'js-yaml'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {askApi} from './support/api.ts'
import {get, kubectl, makeNamespace, uniqueName, waitFor} from './support/cluster.ts'
import {plainHelm} from './support/plain-helm.ts'

const CHARTS = join(import.meta.dirname, '../../charts')
const NETWORK = '198.51.100.0/24'
const KEY = ['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout']

interface Pod {
  readonly metadata: {readonly name: string; readonly uid: string}
  readonly spec: {readonly nodeName: string}
  readonly status: {readonly podIP: string}
}

interface Request {
  readonly spec: {readonly signerName: string}
  readonly status?: {
    readonly certificate?: string
    readonly conditions?: readonly {readonly type: string; readonly message: string}[]
  }
}

/** The address of the control plane, as pods find it. */
interface Server {
  readonly ca: string
  readonly env: Readonly<Record<string, string>>
}

let namespace: string
let scripts: Readonly<Record<string, string>>
let server: Server
let here: Pod
let there: Pod

/** A token of an account, of this pod if there is one. */
async function tokenOf(account: string, pod?: Pod): Promise<string> {
  const of = pod && {apiVersion: 'v1', kind: 'Pod', ...pod.metadata}
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`
  const body = {spec: {boundObjectRef: of && {...of, labels: undefined}}}
  return (await askApi<{status: {token: string}}>(inject('run').kubeconfig, {method: 'POST', path, body}))
    .status.token
}

interface Process {
  readonly script: string
  readonly args?: readonly string[]
  readonly token: string
  readonly networks?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a script of the chart in a directory instead of a pod, with the token of the pod. */
async function start(directory: string, {script, args = [], token, networks = [], env = {}}: Process) {
  await mkdir(join(directory, 'bin'), {recursive: true})
  await writeFile(join(directory, 'token'), token)
  await writeFile(join(directory, 'ca.crt'), server.ca)
  await writeFile(join(directory, 'migration.json'), JSON.stringify({days: 30, networks}))
  for (const file of ['libvirtd.conf', 'qemu.conf']) await writeFile(join(directory, file), '')
  const admin = `#!/bin/sh\necho "$@" >${directory}/admin\n`
  await writeFile(join(directory, 'bin/virt-admin'), admin, {mode: 0o755})
  const text = scripts[script]!.replaceAll('/var/run/secrets/kubernetes.io/serviceaccount', directory)
    .replaceAll('/var/lib/kolla/config_files', directory)
    .replaceAll('/var/lib/libvirt', directory)
    .replaceAll('/run/libvirt', directory)
    .replaceAll('/etc/libvirt', directory)
    .replaceAll('/etc/pki', join(directory, 'etc'))
    .replaceAll('/proc/misc', '/dev/null')
    .replaceAll('/tmp/signing', join(directory, 'signing'))
    .replaceAll('"nova"', JSON.stringify(userInfo().username))
  const path = join(directory, script)
  await writeFile(path, text)
  const started = execa('python3', [path, ...args], {
    env: {PATH: `${directory}/bin:${process.env['PATH']}`, POD_NAMESPACE: namespace, ...server.env, ...env},
    extendEnv: false,
    reject: false,
    all: true,
  })
  return {started}
}

const nodeEnv = ({spec, status}: Pod) => ({NODE_NAME: spec.nodeName, POD_IP: status.podIP})

/** Makes a request as an account, and resolves when it is answered. */
async function request(token: string, subject: string, extensions: readonly string[], usages?: string[]) {
  const directory = testDirectory()
  const config = load(await readFile(inject('run').kubeconfig, 'utf8')) as {users: readonly {name: string}[]}
  const users = config.users.map(({name}) => ({name, user: {token}}))
  const kubeconfig = join(directory, 'kubeconfig')
  await writeFile(kubeconfig, JSON.stringify({...config, users}), {mode: 0o600})
  const added = extensions.flatMap((each) => ['-addext', each])
  const {stdout: pem} = await execa('openssl', [...KEY, '/dev/null', '-subj', subject, ...added])
  const name = uniqueName('libvirt')
  const object = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: {name},
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName: `kk.openstack.org/libvirt.${namespace}`,
      usages: usages ?? ['client auth', 'digital signature', 'server auth'],
    },
  }
  const words = ['--kubeconfig', kubeconfig, 'create', '--validate=false', '--filename', '-']
  await execa(join(inject('run').toolbox, 'kubectl'), words, {input: JSON.stringify(object)})
  const path = `/apis/certificates.k8s.io/v1/certificatesigningrequests/${name}`
  const {status} = await waitFor(
    async () => {
      const found = await askApi<Request>(inject('run').kubeconfig, {path})
      const isDenied = found.status?.conditions?.some(({type}) => type === 'Denied')
      return isDenied || found.status?.certificate ? found : undefined
    },
    {until: `${name} is answered`},
  )
  return {certificate: status!.certificate, conditions: status!.conditions}
}

const namesOf = (pod: Pod, ...more: readonly string[]) =>
  `subjectAltName=${[`DNS:${pod.spec.nodeName}`, `IP:${pod.status.podIP}`, ...more].join(',')}`

beforeAll(async () => {
  namespace = await makeNamespace('libvirt')
  const chart = join(testDirectory(), 'libvirt')
  await cp(join(CHARTS, 'libvirt'), chart, {recursive: true})
  await cp(join(CHARTS, 'common'), join(chart, 'charts/common'), {recursive: true})
  const {exitCode, stderr} = await plainHelm(['install', 'libvirt', chart, '--namespace', namespace])
  expect(exitCode, stderr).toBe(0)
  const [one, other] = await waitFor(
    async () => {
      const selector = 'app.kubernetes.io/component=libvirt'
      const words = ['pods', '--namespace', namespace, '--selector', selector]
      const {items} = await get<{items: readonly Pod[]}>(...words)
      return items.length > 1 && items.every(({status}) => status.podIP) && items
    },
    {until: 'the pods of libvirt are on their nodes'},
  )
  here = one!
  there = other!
  scripts = (await get<{data: Record<string, string>}>('configmap', 'libvirt-bin', '--namespace', namespace))
    .data
  const config = load(await readFile(inject('run').kubeconfig, 'utf8')) as {
    clusters: readonly [{cluster: Readonly<Record<string, string>>}]
  }
  const [{cluster}] = config.clusters
  const {hostname, port} = new URL(cluster['server']!)
  const data = cluster['certificate-authority-data']
  server = {
    ca: data
      ? Buffer.from(data, 'base64').toString()
      : await readFile(cluster['certificate-authority']!, 'utf8'),
    env: {KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port},
  }
  const signer = await start(testDirectory(), {
    ...{script: 'libvirt-signer.py', token: await tokenOf('libvirt-signer'), networks: [NETWORK]},
    env: {
      REQUESTER: 'libvirt-libvirt',
      AUTHORITY: 'libvirt-migration-authority',
      NODES: 'libvirt-migration-nodes',
    },
  })
  return async () => {
    signer.started.kill('SIGTERM')
    await signer.started
  }
})

describe('the certificate of a node for migrations', () => {
  it('replaces one that no other node accepts, and is valid for the node as server and as client', async () => {
    const directory = testDirectory()
    const node = {
      ...{script: 'libvirt-migration.py', env: nodeEnv(here)},
      token: await tokenOf('libvirt-libvirt', here),
    }
    const prepared = await (await start(directory, {...node, args: ['prepare']})).started
    expect(prepared.exitCode, prepared.all).toBe(0)
    const placeholder = await readlink(join(directory, 'pki/current'))

    const {started: renewing} = await start(directory, {...node, args: ['renew']})
    const read = await waitFor(() => readFile(join(directory, 'admin'), 'utf8').catch(() => ''), {
      until: 'libvirtd has to read its certificate',
    })
    renewing.kill()
    await renewing

    expect(read).toBe('server-update-tls libvirtd\n')
    expect(await readlink(join(directory, 'pki/current'))).not.toBe(placeholder)
    const current = join(directory, 'pki/current')
    const verify = (...words: readonly string[]) =>
      execa('openssl', [
        ...[
          'verify',
          '-x509_strict',
          '-CAfile',
          `${current}/ca-cert.pem`,
          ...words,
          `${current}/server-cert.pem`,
        ],
      ])
    await verify('-purpose', 'sslserver', '-verify_hostname', here.spec.nodeName)
    await verify('-purpose', 'sslclient', '-verify_ip', here.status.podIP)
    await expect(verify('-verify_hostname', there.spec.nodeName)).rejects.toThrow('hostname mismatch')
    expect((await stat(`${current}/server-key.pem`)).mode & 0o777).toBe(0o400)
    const {stdout} = await execa('openssl', ['x509', '-in', `${current}/server-cert.pem`, '-noout', '-text'])
    expect(stdout).toContain('CA:FALSE')
    expect(stdout).not.toContain('Certificate Sign')
  })

  it('has an address of a network for migrations, which belongs to the first node that requests it', async () => {
    const address = 'IP:198.51.100.7'
    const of = async (pod: Pod) => {
      const token = await tokenOf('libvirt-libvirt', pod)
      return request(token, `/CN=${pod.spec.nodeName}`, [namesOf(pod, address)])
    }

    const first = await of(here)
    const second = await of(there)

    expect(first.certificate).toBeDefined()
    expect(second.conditions).toMatchObject([
      {type: 'Denied', message: `198.51.100.7 is the address of node ${here.spec.nodeName}`},
    ])
  })

  it.each<[string, () => readonly [string, readonly string[], string[]?], () => string]>([
    [
      'for another node',
      () => [`/CN=${there.spec.nodeName}`, [namesOf(there)]],
      () => `its subject is CN=${there.spec.nodeName}, and its node is ${here.spec.nodeName}`,
    ],
    [
      'with the name of another node',
      () => [`/CN=${here.spec.nodeName}`, [namesOf(here, `DNS:${there.spec.nodeName}`)]],
      () => `${there.spec.nodeName} is no name of node ${here.spec.nodeName}`,
    ],
    [
      'with an address that the node does not have',
      () => [`/CN=${here.spec.nodeName}`, [namesOf(here, 'IP:192.0.2.99')]],
      () => `192.0.2.99 is no address of node ${here.spec.nodeName}`,
    ],
    [
      'with a name of another type',
      () => [`/CN=${here.spec.nodeName}`, [namesOf(here, 'URI:qemu://other')]],
      () => 'it requests the name URI:qemu://other',
    ],
    [
      'for an authority',
      () => [`/CN=${here.spec.nodeName}`, [namesOf(here), 'basicConstraints=CA:TRUE']],
      () => 'it requests a certificate of an authority',
    ],
    [
      'to sign certificates',
      () => [`/CN=${here.spec.nodeName}`, [namesOf(here)], ['cert sign']],
      () => 'it requests the usages cert sign',
    ],
  ])('is refused with the reason: %s', async (_, asked, message) => {
    const token = await tokenOf('libvirt-libvirt', here)

    const {certificate, conditions} = await request(token, ...asked())

    expect(conditions).toMatchObject([{type: 'Denied', message: message()}])
    expect(certificate).toBeUndefined()
  })

  it('is refused to another account, and to a token of no pod', async () => {
    const account = ['create', 'serviceaccount', 'other', '--namespace', namespace]
    await kubectl(account)
    await kubectl([
      ...['create', 'clusterrolebinding', `${namespace}-other`, `--serviceaccount=${namespace}:other`],
      `--clusterrole=${namespace}-libvirt-libvirt`,
    ])
    const of = async (token: string) => request(token, `/CN=${here.spec.nodeName}`, [namesOf(here)])

    const foreign = await of(await tokenOf('other'))
    const unbound = await of(await tokenOf('libvirt-libvirt'))

    expect(foreign.conditions?.[0]?.message).toMatch(/^it is made by system:serviceaccount:\S+:other, not by/)
    expect(unbound.conditions?.[0]?.message).toMatch(/^its token names no node: Kubernetes 1\.30 or later/)
  })

  it('is listed for the status of the release, with what was refused', async () => {
    const {data} = await get<{data: Record<string, string>}>(
      ...['secret', 'libvirt-migration-nodes', '--namespace', namespace],
    )
    const records = JSON.parse(Buffer.from(data['nodes.json']!, 'base64').toString())

    expect(Object.keys(records)).toContain(here.spec.nodeName)
    expect(Object.keys(data)).toEqual(['nodes.json'])
  })
})
