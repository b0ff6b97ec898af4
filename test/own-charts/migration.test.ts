import {chmod, mkdir, readFile, readlink, stat, writeFile} from 'node:fs/promises'
import {userInfo} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {useCharts} from './support/charts.ts'
import {find, ofKind} from './support/objects.ts'

const charts = await useCharts()
const PLAIN = {conf: {migration: {tls: false}}}
const scripts = find(await charts.render('libvirt'), 'ConfigMap', 'libvirt-bin').data!

const filesOf = async (values: object = {}) =>
  find(await charts.render('libvirt', {values}), 'ConfigMap', 'libvirt-etc').data!

describe('the chart of libvirt', () => {
  it('encrypts migrations, of libvirt and of QEMU, and refuses others', async () => {
    const files = await filesOf()

    expect(files['libvirtd.conf']).toMatch(/^listen_tcp = 0\nlisten_tls = 1$/m)
    expect(files['qemu.conf']).toMatch(/^migrate_tls_force = 1$/m)
    expect(files['qemu.conf']).toMatch(/^migrate_tls_x509_cert_dir = "\/var\/lib\/libvirt\/pki\/current"$/m)
    expect(files['qemu.conf']).toMatch(/^migrate_tls_x509_verify = 1$/m)
  })

  it('without encryption listens on TCP, and has neither a signer nor rights in the cluster', async () => {
    const objects = await charts.render('libvirt', {values: PLAIN})

    expect((await filesOf(PLAIN))['libvirtd.conf']).toMatch(/^listen_tcp = 1\nlisten_tls = 0$/m)
    expect(ofKind(objects, 'Deployment', 'ClusterRole', 'Role', 'Secret')).toEqual([])
    expect(find(objects, 'ConfigMap', 'libvirt-bin').data!['libvirt-start.sh']).not.toContain('renew')
  })

  it('lets only the signer read the key of the authority, which no pod mounts', async () => {
    const objects = await charts.render('libvirt')

    const readers = ofKind(objects, 'Role').filter(({rules = []}) =>
      rules.some(({resourceNames = []}) => resourceNames.includes('libvirt-migration-authority')),
    )
    expect(readers.map(({metadata}) => metadata.name)).toEqual(['libvirt-signer'])
    const mounting = objects.filter(({kind}) => !['Role', 'Secret'].includes(kind))
    expect(JSON.stringify(mounting)).not.toMatch(/"secretName":"libvirt-migration/)
  })

  it('grants the right to sign by the name of the release alone', async () => {
    const role = find(await charts.render('libvirt'), 'ClusterRole', 'openstack-libvirt-signer')

    const [rule] = role.rules!.filter(({resources}) => resources.includes('signers'))
    expect(rule).toMatchObject({
      resourceNames: ['kk.openstack.org/libvirt.openstack'],
      verbs: ['approve', 'sign'],
    })
  })
})

interface Node {
  readonly name?: string
  /** Of its interfaces. */
  readonly addresses?: readonly string[]
  readonly networks?: readonly string[]
  readonly libvirtd?: string
  /** For which a certificate is valid. */
  readonly days?: number
}

/** A node on which libvirt starts: its directory, and the script of the chart with the paths of this node. */
async function node({name = 'cmp1', addresses = [], networks = [], libvirtd = '', days = 30}: Node = {}) {
  const directory = testDirectory()
  await mkdir(join(directory, 'bin'))
  const shown = [{addr_info: addresses.map((local) => ({local, scope: 'global'}))}]
  await writeFile(join(directory, 'bin/ip'), `#!/bin/sh\necho '${JSON.stringify(shown)}'\n`, {mode: 0o755})
  await writeFile(join(directory, 'migration.json'), JSON.stringify({days, networks}))
  await writeFile(join(directory, 'libvirtd.conf'), libvirtd)
  await writeFile(join(directory, 'qemu.conf'), '')
  const script = scripts['libvirt-migration.py']!.replaceAll(
    /"\/(?:var\/lib\/kolla\/config_files|var\/lib\/libvirt|run\/libvirt|etc\/libvirt)\//g,
    `"${directory}/`,
  )
    .replaceAll('/etc/pki', join(directory, 'etc'))
    .replaceAll('/proc/misc', '/dev/null')
    .replaceAll('/proc/sys/vm/unprivileged_userfaultfd', join(directory, 'sysctl'))
    .replaceAll('"nova"', JSON.stringify(userInfo().username))
  const env = {
    PATH: `${directory}/bin:${process.env['PATH']}`,
    ...{NODE_NAME: name, POD_NAMESPACE: 'openstack', POD_IP: '192.0.2.1'},
  }
  const run = (text: string, ...args: readonly string[]) =>
    execa('python3', ['-c', text, ...args], {env, extendEnv: false, reject: false})
  return {
    directory,
    prepare: () => run(script, 'prepare'),
    /** Evaluates an expression of the script. */
    evaluate: (expression: string) =>
      run(`${script.split('\nos.umask(')[0]}\nprint(json.dumps(${expression}))`),
    read: (file: string) => readFile(join(directory, file), 'utf8'),
  }
}

const uuidOf = (text: string) => /^host_uuid = "(.+)"$/m.exec(text)?.[1]

describe('a node that libvirt prepares for migrations', () => {
  it('has an identity of its own, which is always the same', async () => {
    const nodes = [await node({name: 'cmp1'}), await node({name: 'cmp1'}), await node({name: 'cmp2'})]

    for (const each of nodes) expect((await each.prepare()).exitCode).toBe(0)

    const [one, again, other] = await Promise.all(nodes.map(({read}) => read('libvirtd.conf')))
    expect(uuidOf(one!)).toMatch(/^[\da-f]{8}-/)
    expect(uuidOf(again!)).toBe(uuidOf(one!))
    expect(uuidOf(other!)).not.toBe(uuidOf(one!))
  })

  it('listens on its own address, and reports it to nova', async () => {
    const {prepare, read} = await node()

    await prepare()

    expect(await read('libvirtd.conf')).toContain('listen_addr = "192.0.2.1"\n')
    expect(await read('qemu.conf')).toBe('\nmigration_host = "192.0.2.1"\nmigration_address = "192.0.2.1"\n')
    expect(await read('migration')).toBe(
      'live_migration_inbound_addr=192.0.2.1\nlive_migration_scheme=tls\n' +
        'live_migration_with_native_tls=true\nlive_migration_permit_post_copy=false\n',
    )
  })

  it('uses its address in a network for migrations', async () => {
    const addresses = ['192.0.2.1', '198.51.100.7', '2001:db8::7']
    const four = await node({addresses, networks: ['198.51.100.0/24']})
    const six = await node({addresses, networks: ['203.0.113.0/24', '2001:db8::/64']})

    await Promise.all([four.prepare(), six.prepare()])

    expect(await four.read('migration')).toContain('live_migration_inbound_addr=198.51.100.7\n')
    expect(await six.read('migration')).toContain('live_migration_inbound_addr=2001:db8::7\n')
  })

  it('without an address in the network takes part in none, and still has its identity', async () => {
    const {prepare, read} = await node({addresses: ['192.0.2.1'], networks: ['198.51.100.0/24']})

    const {exitCode, stderr} = await prepare()

    expect(exitCode).toBe(1)
    expect(stderr).toContain('cmp1 has no address in 198.51.100.0/24 (conf.migration.networks)')
    expect(uuidOf(await read('libvirtd.conf'))).toBeDefined()
    // QEMU's driver of libvirt does not start without the directory.
    await expect(read('pki/current/ca-cert.pem')).resolves.toContain('CERTIFICATE')
    await expect(read('migration')).rejects.toThrow('ENOENT')
  })

  it('keeps what the deployer states', async () => {
    const stated = 'host_uuid = "11111111-2222-3333-4444-555555555555"\nlisten_addr = "0.0.0.0"\n'
    const {prepare, read} = await node({libvirtd: stated})

    await prepare()

    expect(await read('libvirtd.conf')).toBe(stated)
  })

  it('permits post-copy if its kernel lets QEMU handle page faults', async () => {
    const {directory, prepare, read} = await node()
    await writeFile(join(directory, 'sysctl'), '1\n')

    await prepare()

    expect(await read('migration')).toContain('live_migration_permit_post_copy=true\n')
  })

  it.each([
    ['keeps its certificate over a restart', 30, true],
    ['replaces one that has expired, with which libvirtd would not start', -1, false],
  ])('%s', async (_, days, isKept) => {
    const {directory, prepare} = await node({days})
    const current = () => readlink(join(directory, 'pki/current'))
    await prepare()
    const first = await current()

    const {exitCode, stderr} = await prepare()

    expect(exitCode, stderr).toBe(0)
    expect((await current()) === first).toBe(isKept)
    expect(await readlink(join(directory, 'etc/libvirt/servercert.pem'))).toBe(
      join(directory, 'pki/current/server-cert.pem'),
    )
  })

  it('lets QEMU, which is not root, read its key, and no other user', async () => {
    const {directory, prepare} = await node()

    await prepare()

    const modes = ['pki', 'pki/current/', 'pki/current/client-cert.pem', 'pki/current/client-key.pem'].map(
      async (path) => (await stat(join(directory, path))).mode & 0o777,
    )
    expect(await Promise.all(modes)).toEqual([0o755, 0o755, 0o444, 0o400])
  })

  it('renews its certificate in the last third', async () => {
    const {prepare, evaluate} = await node()
    await prepare()
    const isUsable = async (days: number) => {
      const {stdout, stderr} = await evaluate(`is_usable(${days} * 86400)`)
      expect(stderr).toBe('')
      return JSON.parse(stdout)
    }

    expect(await isUsable(29)).toBe(true)
    expect(await isUsable(31)).toBe(false)
  })
})

/**
 * The arguments of libvirtd on a node whose preparation ends with this exit code, and whether a certificate
 * is requested.
 */
async function libvirtdOptions(exitCode: number): Promise<string> {
  const directory = testDirectory()
  for (const name of ['bin', 'usr', 'scripts']) await mkdir(join(directory, name))
  const programs = {
    'bin/mount': 'true',
    'bin/mknod': 'true',
    'bin/setpriv': 'shift 2; exec "$@"',
    // Ends when the certificate is requested, if it is.
    'bin/libvirtd': `echo "libvirtd $*"; [ -z "$*" ] || until [ -e ${directory}/renewed ]; do sleep 0.1; done`,
    'scripts/virt-type.sh': 'true',
  }
  for (const [path, text] of Object.entries(programs))
    await writeFile(join(directory, path), `#!/bin/bash\n${text}\n`, {mode: 0o755})
  await writeFile(
    join(directory, 'scripts/libvirt-migration.py'),
    `import sys\nif sys.argv[1] == "renew": open("${directory}/renewed", "w")\nelse: sys.exit(${exitCode})\n`,
  )
  const script = scripts['libvirt-start.sh']!.replaceAll('/proc/mounts', '/dev/null').replaceAll(
    /(?<=[ ="])\/(?:usr|scripts|var\/lib\/libvirt|dev\/(?:kvm|ptmx)|etc\/ceph|sys\/fs)\b/g,
    (place) => directory + place,
  )
  const env = {PATH: `${directory}/bin:${process.env['PATH']}`, CEPH_SECRET_UUID: 'uuid'}
  const {stdout} = await execa('bash', ['-c', script], {env, extendEnv: false})
  return stdout
}

describe('libvirtd', () => {
  it('listens on a node that is prepared, which then requests its certificate', async () => {
    expect(await libvirtdOptions(0)).toBe('libvirtd --listen')
  })

  it('runs the guests of a node that cannot be prepared, and does not listen', async () => {
    expect(await libvirtdOptions(1)).toBe('libvirtd ')
  })
})

/** How nova-compute starts on a node: the variables of its section of libvirt. */
async function computeOptions(migration: string | undefined, conf: string): Promise<readonly string[]> {
  const directory = testDirectory()
  await writeFile(join(directory, 'nova.conf'), conf)
  await writeFile(join(directory, 'virt-type'), 'kvm\n')
  if (migration !== undefined) await writeFile(join(directory, 'migration'), migration)
  await writeFile(join(directory, 'nova-compute'), '#!/bin/sh\nenv | grep OS_LIBVIRT | sort\n')
  await chmod(join(directory, 'nova-compute'), 0o755)
  const script = find(await charts.render('nova'), 'ConfigMap', 'nova-bin')
    .data!['nova-compute.sh']!.replaceAll('/run/libvirt', directory)
    .replaceAll('/etc/nova', directory)
    .replaceAll('/tmp/remote', join(directory, 'remote'))
    .replace(/^while :.*$/m, '')
    .replace(/\[ -S \S+ \]/, 'true')
  const env = {PATH: `${directory}:${process.env['PATH']}`, VIRT_TYPE: ''}
  const {stdout} = await execa('bash', ['-c', script], {env, extendEnv: false})
  return stdout.split('\n')
}

describe('nova-compute', () => {
  const MIGRATION = 'live_migration_inbound_addr=198.51.100.7\nlive_migration_permit_post_copy=true\n'

  it('migrates as its node can', async () => {
    expect(await computeOptions(MIGRATION, '')).toEqual([
      'OS_LIBVIRT__LIVE_MIGRATION_INBOUND_ADDR=198.51.100.7',
      'OS_LIBVIRT__LIVE_MIGRATION_PERMIT_POST_COPY=true',
      'OS_LIBVIRT__VIRT_TYPE=kvm',
    ])
  })

  it('obeys the deployer before its node', async () => {
    const options = await computeOptions(MIGRATION, '[libvirt]\nlive_migration_permit_post_copy = False\n')

    expect(options).not.toContain('OS_LIBVIRT__LIVE_MIGRATION_PERMIT_POST_COPY=true')
    expect(options).toContain('OS_LIBVIRT__LIVE_MIGRATION_INBOUND_ADDR=198.51.100.7')
  })

  it('starts without migrations', async () => {
    expect(await computeOptions(undefined, '')).toEqual(['OS_LIBVIRT__VIRT_TYPE=kvm'])
  })
})

describe('the status of libvirt', () => {
  const now = Date.now() / 1000
  const pod = (nodeName: string, age: number, more: object = {}) => ({
    metadata: {creationTimestamp: new Date(Date.now() - age * 1000).toISOString(), ...more},
    spec: {nodeName, serviceAccountName: 'libvirt-libvirt'},
  })

  async function check(pods: readonly object[], records: object) {
    const data = {'nodes.json': Buffer.from(JSON.stringify(records)).toString('base64')}
    const program = `${scripts['libvirt-status.py']}
answers = json.loads(${JSON.stringify(JSON.stringify({secret: {data}, pods: {items: pods}}))})
def request(method, path):
    return answers["pods" if "/pods?" in path else "secret"]
print(json.dumps(check()))`
    const env = {POD_NAMESPACE: 'openstack', NODES: 'libvirt-migration-nodes', REQUESTER: 'libvirt-libvirt'}
    return execa('python3', ['-c', program], {env, reject: false})
  }

  it('names each node that takes part in no migration, with the reason', async () => {
    const pods = ['a', 'b', 'c', 'd'].map((name) => pod(name, 3600))
    const lost = pod('e', 3600, {deletionTimestamp: 'now'})
    const records = {
      a: {until: now + 3600},
      b: {until: now - 3600},
      c: {refused: '192.0.2.9 is no address of node c'},
    }

    const {stdout} = await check([...pods, lost], records)

    expect(JSON.parse(stdout)).toEqual([
      'nodes for migrations: 1',
      [
        'b takes part in no migration: its certificate has expired',
        'c takes part in no migration: its request for a certificate is refused: 192.0.2.9 is no address of node c',
        'd takes part in no migration: it has requested no certificate',
      ],
    ])
  })

  it('counts a node that still runs the pod of an earlier chart, and does not wait for it', async () => {
    const old = {...pod('b', 3600), spec: {nodeName: 'b', serviceAccountName: 'libvirt'}}

    const {stdout} = await check([pod('a', 3600), old], {a: {until: now + 3600}})

    expect(JSON.parse(stdout)).toEqual(['nodes for migrations: 1, with an earlier libvirt: 1', []])
  })

  it('waits for a node that has just come', async () => {
    const {exitCode, stderr} = await check([pod('a', 3600), pod('b', -3600)], {a: {until: now + 3600}})

    expect(exitCode).toBe(1)
    expect(stderr).toContain('RuntimeError: b has no certificate yet')
  })
})

describe('signers that start at the same time', () => {
  it('have one authority: who is late loads that of the other', async () => {
    const directory = testDirectory()
    await writeFile(join(directory, 'migration.json'), JSON.stringify({days: 30, networks: []}))
    const script = find(await charts.render('libvirt'), 'ConfigMap', 'libvirt-bin').data![
      'libvirt-signer.py'
    ]!
    const program = `${script.split('\nos.umask(0o077)')[0]!.replaceAll('/var/lib/kolla/config_files', directory)}
stored = {}
def request(method, path, body=None):
    if method == "PATCH":
        stored.update({"ca.crt": encode("certificate of the other"), "ca.key": encode("key of the other")})
        raise urllib.error.HTTPError(path, 409, "Conflict", {}, None)
    return {"metadata": {"resourceVersion": "1"}, "data": dict(stored)}
try:
    load_authority()
except OSError as error:
    print(error.code, (directory / "ca.key").exists())
load_authority()
print((directory / "ca.key").read_text())`
    const {stdout} = await execa('python3', ['-c', program], {
      env: {
        ...{POD_NAMESPACE: 'openstack', RELEASE: 'libvirt', SIGNER: 'kk.openstack.org/libvirt.openstack'},
        ...{REQUESTER: 'libvirt', AUTHORITY: 'authority', NODES: 'nodes'},
      },
    })

    expect(stdout.split('\n')).toEqual(['409 False', 'key of the other'])
  })
})
