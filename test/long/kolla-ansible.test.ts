import {createHash} from 'node:crypto'
import {existsSync} from 'node:fs'
import {copyFile, mkdir, readdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {load, loadAll} from 'js-yaml'
import {beforeAll, expect, inject, it} from 'vitest'
import {kollaPasswordTexts} from '../../src/exchange/kolla/passwords.ts'
import {cacheDirectory} from '../../src/state/directories.ts'
import {withLock} from '../../src/state/lock.ts'
import type {ConfigImport} from '../../src/verbs/config/import-config.ts'
import {kk, kkEnvironment} from '../e2e/support/kk.ts'
import {GIVEN} from '../own-charts/support/charts.ts'
import type {KubernetesObject} from '../own-charts/support/objects.ts'
import {testDirectory} from '../support/test-directory.ts'

/** kolla-ansible of OpenStack 2025.1; the second has the collections that its roles take modules from. */
const REQUIREMENTS = ['kolla-ansible==20.6.0', 'ansible==11.13.0', 'ansible-core==2.18.19']

/**
 * kolla-ansible asks the cloud that runs for its hypervisors, in a container. None runs where it is only to
 * write files.
 */
const NO_CLOUD = `#!/usr/bin/python
from ansible.module_utils.basic import AnsibleModule

NAMES = ("container_engine", "module_name", "module_args", "module_extra_vars", "user", "timeout", "api_version")
AnsibleModule({name: {"type": "raw"} for name in NAMES}).exit_json(changed=False, resources=[])
`

/** What a site states: the rest is as kolla-ansible has it. */
const GLOBALS = {
  kolla_base_distro: 'debian',
  network_interface: 'lo',
  neutron_external_interface: 'lo',
  api_interface_address: '0.0.0.0',
  kolla_internal_vip_address: '192.0.2.10',
  neutron_plugin_agent: 'ovn',
  enable_cinder: 'yes',
  enable_cinder_backend_lvm: 'yes',
}

/** A virtual environment with kolla-ansible, made once on a machine. */
async function kollaAnsible(): Promise<string> {
  const key = createHash('sha256').update(`${REQUIREMENTS}${NO_CLOUD}`).digest('hex').slice(0, 16)
  const directory = join(cacheDirectory(process.env), 'kolla-ansible', key)
  await mkdir(directory, {recursive: true})
  await withLock(join(directory, 'lock'), async () => {
    if (existsSync(join(directory, 'made'))) return
    await execa('python3', ['-m', 'venv', '--clear', join(directory, 'venv')])
    await execa(join(directory, 'venv/bin/pip'), ['install', '--quiet', ...REQUIREMENTS])
    await writeFile(join(shareOf(directory), 'ansible/library/kolla_toolbox.py'), NO_CLOUD)
    await writeFile(join(directory, 'made'), '')
  })
  return directory
}

function shareOf(directory: string): string {
  return join(directory, 'venv/share/kolla-ansible')
}

let work: string
let etc: string
/** What `kk config import` of all of it says. */
let imported: Omit<ConfigImport, 'releases'>
beforeAll(async () => {
  const installed = await kollaAnsible()
  const share = shareOf(installed)
  work = testDirectory()
  etc = join(work, 'etc-kolla')
  await mkdir(join(etc, 'config'), {recursive: true})
  const passwords = join(etc, 'passwords.yml')
  await copyFile(join(share, 'etc_examples/kolla/passwords.yml'), passwords)
  const env = {
    PATH: `${join(installed, 'venv/bin')}:${process.env.PATH}`,
    HOME: work,
    ANSIBLE_LOCALHOST_WARNING: 'false',
  }
  await execa('kolla-genpwd', ['--passwords', passwords], {env})
  const globals = {...GLOBALS, node_config_directory: etc, node_custom_config: join(etc, 'config')}
  await writeFile(join(etc, 'globals.yml'), JSON.stringify(globals))
  await execa(
    'ansible-playbook',
    [
      ...['--inventory', join(share, 'ansible/inventory/all-in-one')],
      ...['--extra-vars', `@${join(etc, 'globals.yml')}`, '--extra-vars', `@${passwords}`],
      ...['--extra-vars', `kolla_action=config ansible_become=false CONFIG_DIR=${etc}`],
      ...['--extra-vars', `ansible_python_interpreter=${join(installed, 'venv/bin/python')}`],
      join(share, 'ansible/site.yml'),
    ],
    {env, cwd: work},
  )
  const {exitCode, stdout, stderr} = await kk(
    ['config', 'import', etc, '--passwords', passwords, '--output-dir', 'imported', '--output', 'json'],
    {cwd: work},
  )
  expect(exitCode, stderr).toBe(0)
  imported = JSON.parse(stdout)
}, 1_800_000)

const valuesOf = async (file: string) => readFile(join(work, 'imported', file), 'utf8')

it('every container with a configuration of kolla-ansible is imported, or named with a reason', async () => {
  const entries = await readdir(etc, {recursive: true})
  const written = entries.flatMap((path) => /^([^/]+)\/config\.json$/.exec(path)?.[1] ?? [])
  const {containers, leftOut} = imported

  expect([...containers, ...leftOut].map(({container}) => container).toSorted()).toEqual(written.toSorted())
  expect(containers.map(({container, chart, component}) => `${container}: ${chart}/${component}`)).toEqual([
    'cinder-api: cinder/api',
    'cinder-backup: cinder/backup',
    'cinder-scheduler: cinder/scheduler',
    'cinder-volume: cinder/volume',
    'glance-api: glance/api',
    'heat-api-cfn: heat/cfn',
    'heat-api: heat/api',
    'heat-engine: heat/engine',
    'horizon: horizon/server',
    'keystone: keystone/api',
    'mariadb: mariadb/server',
    'memcached: memcached/server',
    'neutron-ovn-metadata-agent: neutron/ovn-metadata-agent',
    'neutron-server: neutron/server',
    'nova-api: nova/api',
    'nova-compute: nova/compute',
    'nova-conductor: nova/conductor',
    'nova-metadata: nova/metadata',
    'nova-novncproxy: nova/novncproxy',
    'nova-scheduler: nova/scheduler',
    'openvswitch-vswitchd: openvswitch/vswitchd',
    'ovn-controller: ovn/controller',
    'ovn-northd: ovn/northd',
    'placement-api: placement/api',
    'rabbitmq: rabbitmq/server',
  ])
  expect(leftOut.filter(({why}) => why.startsWith('no chart')).map(({container}) => container)).toEqual([
    'iscsid',
    'tgtd',
  ])
})

it('mariadb and rabbitmq run with the settings of kolla, with the accounts and addresses of the charts', async () => {
  const mariadb = load(await valuesOf('mariadb.yaml')) as {conf: {my_cnf: Record<string, object>}}
  const rabbitmq = load(await valuesOf('rabbitmq.yaml'))
  const notes = imported.containers.filter(({chart}) => chart === 'mariadb').flatMap((each) => each.notes)

  expect(mariadb.conf.my_cnf.mysqld).toMatchObject({max_connections: '10000', wsrep_slave_threads: '4'})
  expect(Object.keys(mariadb.conf.my_cnf.mysqld!)).not.toContain('wsrep_cluster_address')
  expect(notes.join('\n')).toContain('mysqld.wsrep_cluster_address')
  expect(rabbitmq).toEqual({conf: {rabbitmq: {cluster_partition_handling: 'pause_minority'}}})
})

it('no password of passwords.yml is in a values file that other users can read', async () => {
  const file = join(etc, 'passwords.yml')
  const passwords = kollaPasswordTexts(await readFile(file, 'utf8'), file)
  const names = await readdir(join(work, 'imported'))
  const shown = names.filter((name) => !name.endsWith('.secrets.yaml'))

  expect(passwords.length).toBeGreaterThan(100)
  for (const name of shown) {
    const text = await valuesOf(name)
    expect(
      passwords.filter((password) => text.includes(password)),
      name,
    ).toEqual([])
  }
})

it('helm renders each chart with the imported values, and files of kolla are in the output unchanged', async () => {
  const charts = [...new Set(imported.containers.map(({chart}) => chart))]
  const packed = await kk(['charts', 'package', ...charts, '--output-dir', 'packages'], {cwd: work})
  expect(packed.exitCode, packed.stderr).toBe(0)
  const packages = await readdir(join(work, 'packages'))

  for (const chart of charts) {
    const archive = packages.find((name) => name.replace(/-\d.*$/, '') === chart)!
    const files = ['yaml', 'secrets.yaml'].map((end) => join(work, 'imported', `${chart}.${end}`))
    const {stdout} = await execa(
      join(inject('run').toolbox, 'helm4'),
      [
        ...['template', chart, join(work, 'packages', archive), '--values', '-'],
        ...files.flatMap((file) => ['--values', file]),
      ],
      // What kk makes and keeps in the cluster.
      {input: JSON.stringify({global: GIVEN}), env: kkEnvironment(), extendEnv: false},
    )
    const objects = loadAll(stdout).filter((object) => object !== null) as KubernetesObject[]
    for (const {container, files: own} of imported.containers.filter((each) => each.chart === chart)) {
      // Of these the options are taken, not the files.
      if (['mariadb', 'rabbitmq'].includes(chart)) continue
      const texts = await Promise.all(own.map(({name}) => readFile(join(etc, container, name), 'utf8')))
      const held = own.map(({isSecret}) => textsIn(objects, isSecret ? 'Secret' : 'ConfigMap'))
      const missing = own.filter((_, index) => !held[index]!.has(texts[index]!.trimEnd()))
      expect(missing, `${container} in ${chart}`).toEqual([])
    }
  }
})

/**
 * All that the objects of a kind hold, as a pod reads it, but for empty lines at the end: helm adds some
 * between manifests.
 */
function textsIn(objects: readonly KubernetesObject[], kind: 'ConfigMap' | 'Secret'): ReadonlySet<string> {
  const data = objects.filter((object) => object.kind === kind).flatMap(({data = {}}) => Object.values(data))
  const read = (text: string) => (kind === 'Secret' ? Buffer.from(text, 'base64').toString() : text)
  return new Set(data.map((text) => read(String(text)).trimEnd()))
}
