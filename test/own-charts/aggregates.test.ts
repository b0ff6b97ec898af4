import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import {testDirectory} from '../support/test-directory.ts'
import {GIVEN, useCharts} from './support/charts.ts'
import {find, type KubernetesObject, ofKind, variable} from './support/objects.ts'

const charts = await useCharts()

/** The openstacksdk of a nova that keeps its aggregates in a file, and refuses what nova refuses. */
const SDK = `
import json, os, sys, types
from types import SimpleNamespace as Thing
PATH = os.environ["NOVA"]
class HttpException(Exception):
    details = None
exceptions = types.ModuleType("openstack.exceptions")
exceptions.HttpException = HttpException
sys.modules["openstack.exceptions"] = exceptions
def refuse(message):
    error = HttpException(message)
    error.details = message
    raise error
class Compute:
    def __init__(self):
        self.nova = json.load(open(PATH))
    def save(self):
        json.dump(self.nova, open(PATH, "w"))
    def services(self):
        return [Thing(binary="nova-compute", host=host) for host in self.nova["computes"]] + [Thing(binary="nova-scheduler", host="s")]
    def aggregates(self):
        return [Thing(**each) for each in json.loads(json.dumps(self.nova["aggregates"]))]
    def find(self, one):
        return next(each for each in self.nova["aggregates"] if each["id"] == one.id)
    def create_aggregate(self, name):
        if any(each["name"] == name for each in self.nova["aggregates"]):
            refuse("Aggregate %s already exists." % name)
        made = {"id": 100 + len(self.nova["aggregates"]), "name": name, "hosts": [], "metadata": {}}
        self.nova["aggregates"].append(made)
        self.save()
        return Thing(id=made["id"], name=name, hosts=None, metadata=None)
    def update_aggregate(self, one, name):
        self.find(one)["name"] = name
        self.save()
        return one
    def delete_aggregate(self, one):
        if self.find(one)["hosts"]:
            refuse("Host aggregate is not empty.")
        self.nova["aggregates"].remove(self.find(one))
        self.save()
    def set_aggregate_metadata(self, one, metadata):
        there = self.find(one)["metadata"]
        there.update(metadata)
        for key in [key for key, value in there.items() if value is None]:
            del there[key]
        self.save()
        return one
    def remove_host_from_aggregate(self, one, host):
        there = self.find(one)
        if host in self.nova["busy"] and "availability_zone" in there["metadata"]:
            refuse("Host %s has instances." % host)
        there["hosts"].remove(host)
        self.save()
    def add_host_to_aggregate(self, one, host):
        zone = self.find(one)["metadata"].get("availability_zone")
        for each in self.nova["aggregates"]:
            other = each["metadata"].get("availability_zone")
            if host in each["hosts"] and zone and other and zone != other:
                refuse("Host %s is in the zone %s." % (host, other))
        self.find(one)["hosts"].append(host)
        self.save()
        return one
def connect():
    return Thing(compute=Compute())
`

interface Aggregate {
  readonly name: string
  readonly hosts?: readonly string[]
  readonly metadata?: Readonly<Record<string, string>>
}

/** Three computes, and a node without nova-compute. */
const NODES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  cmp1: {group: 'pinned', 'kubernetes.io/hostname': 'cmp1'},
  cmp2: {group: 'pinned', 'kubernetes.io/hostname': 'cmp2'},
  cmp3: {group: 'gpu', 'kubernetes.io/hostname': 'cmp3'},
  ctl1: {group: 'pinned', 'kubernetes.io/hostname': 'ctl1'},
}
const MARK = (group: string) => ({'kk:node-group': `openstack/nova/${group}`})
const PINNED = {selector: {group: 'pinned'}, aggregate: {metadata: {pinned: 'true'}}}

async function render(groups: object | undefined): Promise<readonly KubernetesObject[]> {
  return charts.render('nova', {
    global: mergeValues(GIVEN, groups === undefined ? {} : {node_groups: groups}),
  })
}

interface Cloud {
  readonly aggregates?: readonly Aggregate[]
  readonly nodes?: typeof NODES
  /** Hosts with instances. */
  readonly busy?: readonly string[]
}

/** Runs the script of the chart for these groups; returns what nova has then, and what the script prints. */
async function run(groups: object, {aggregates = [], nodes = NODES, busy = []}: Cloud = {}) {
  const objects = await render(groups)
  const directory = testDirectory()
  const nova = join(directory, 'nova.json')
  const there = aggregates.map((each, id) => ({id, hosts: [], metadata: {}, ...each}))
  await writeFile(nova, JSON.stringify({computes: ['cmp1', 'cmp2', 'cmp3'], busy, aggregates: there}))
  await writeFile(join(directory, 'openstack.py'), SDK)
  const items = Object.entries(nodes).map(([name, labels]) => ({metadata: {name, labels}}))
  const listed = `def request(method, path):\n    return {"GET /api/v1/nodes": {"items": ${JSON.stringify(items)}}}[method + " " + path]\n`
  const script = find(objects, 'ConfigMap', 'nova-bin').data!['nova-aggregates.py']!
  const [container] = ofKind(objects, 'Job').find(({metadata}) =>
    metadata.name.startsWith('nova-aggregates-'),
  )!.spec!.template!.spec.containers
  const {exitCode, stdout, stderr} = await execa(
    'python3',
    ['-c', script.replace('\ngroups = ', `\n${listed}\ngroups = `)],
    {
      env: {
        PYTHONPATH: directory,
        NOVA: nova,
        POD_NAMESPACE: 'openstack',
        AGGREGATES: variable(container!, 'AGGREGATES')!,
      },
      reject: false,
    },
  )
  const left = JSON.parse(await readFile(nova, 'utf8')).aggregates as readonly Aggregate[]
  return {
    exitCode,
    stdout,
    stderr,
    aggregates: left.map(({name, hosts, metadata}) => ({name, hosts, metadata})),
  }
}

describe('the aggregates of groups of nodes', () => {
  it('are made with the hosts that have nova-compute, their zone and metadata', async () => {
    const groups = {
      pinned: PINNED,
      gpu: {hosts: ['cmp3'], availability_zone: 'gpu', aggregate: {name: 'gpus'}},
    }

    const {exitCode, stdout, aggregates} = await run(groups)

    expect(aggregates).toEqual([
      {name: 'gpus', hosts: ['cmp3'], metadata: {...MARK('gpu'), availability_zone: 'gpu'}},
      {name: 'pinned', hosts: ['cmp1', 'cmp2'], metadata: {...MARK('pinned'), pinned: 'true'}},
    ])
    expect(stdout).toContain('ctl1 of pinned has no nova-compute yet')
    expect(exitCode).toBe(0)
  })

  it('stay as they are when nothing changes', async () => {
    const {aggregates} = await run({pinned: PINNED})

    const {stdout, ...again} = await run({pinned: PINNED}, {aggregates: aggregates as readonly Aggregate[]})

    expect(again).toMatchObject({exitCode: 0, aggregates})
    expect(stdout).toBe('ctl1 of pinned has no nova-compute yet')
  })

  it('lose the hosts that have left the group, and get another name and other metadata', async () => {
    const former = {
      name: 'old',
      hosts: ['cmp1', 'cmp3', 'lost'],
      metadata: {...MARK('pinned'), former: 'yes', availability_zone: 'z'},
    }

    const {aggregates} = await run({pinned: PINNED}, {aggregates: [former]})

    expect(aggregates).toEqual([
      {name: 'pinned', hosts: ['cmp1', 'cmp2'], metadata: {...MARK('pinned'), pinned: 'true'}},
    ])
  })

  it('are deleted with their group, and a host goes from one zone to another', async () => {
    const former = {name: 'old', hosts: ['cmp1'], metadata: {...MARK('old'), availability_zone: 'old'}}
    const group = {selector: {group: 'pinned'}, availability_zone: 'new'}

    const {aggregates, exitCode} = await run({pinned: group}, {aggregates: [former]})

    expect(aggregates).toEqual([
      {name: 'pinned', hosts: ['cmp1', 'cmp2'], metadata: {...MARK('pinned'), availability_zone: 'new'}},
    ])
    expect(exitCode).toBe(0)
  })

  it('are all deleted if no group is left', async () => {
    const former = {name: 'pinned', hosts: ['cmp1'], metadata: MARK('pinned')}

    expect((await run({}, {aggregates: [former]})).aggregates).toEqual([])
  })

  it('of others are unchanged: made by hand, or by another release', async () => {
    const others: readonly Aggregate[] = [
      {name: 'hand', hosts: ['cmp1'], metadata: {pinned: 'true'}},
      {name: 'other', hosts: ['cmp2'], metadata: {'kk:node-group': 'other/nova/gone'}},
    ]

    const {aggregates} = await run({pinned: PINNED}, {aggregates: others})

    expect(aggregates.slice(0, 2)).toEqual(others)
  })

  it('are not taken over by their name, unless they are empty, from a run that was ended', async () => {
    const taken = [{name: 'pinned', hosts: ['cmp1'], metadata: {}}]
    const begun = [{name: 'pinned', hosts: [], metadata: {}}]

    const refused = await run({pinned: PINNED}, {aggregates: taken})

    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: 'pinned: an aggregate of this name exists, and is not of the group pinned',
      aggregates: taken,
    })
    expect((await run({pinned: PINNED}, {aggregates: begun})).aggregates).toMatchObject([
      {name: 'pinned', hosts: ['cmp1', 'cmp2'], metadata: MARK('pinned')},
    ])
  })

  it('keep a host that nova refuses to remove, which is a problem; the others are made', async () => {
    const former = {name: 'z', hosts: ['cmp3'], metadata: {...MARK('z'), availability_zone: 'z'}}
    const groups = {pinned: PINNED, z: {hosts: ['cmp9'], availability_zone: 'z'}}

    const {exitCode, stderr, aggregates} = await run(groups, {aggregates: [former], busy: ['cmp3']})

    expect(aggregates).toMatchObject([{hosts: ['cmp3']}, {hosts: ['cmp1', 'cmp2']}])
    expect(stderr).toBe('z: remove cmp3: Host cmp3 has instances.')
    expect(exitCode).toBe(1)
  })

  it('have no host in two availability zones', async () => {
    const groups = {
      a: {selector: {group: 'pinned'}, availability_zone: 'a'},
      b: {hosts: ['cmp1'], availability_zone: 'b'},
      c: {hosts: ['cmp2'], availability_zone: 'a'},
    }

    const {exitCode, stderr, aggregates} = await run(groups)

    expect(stderr).toBe('cmp1 is in the groups a and b with the availability zones a and b')
    expect(aggregates).toMatchObject([{hosts: ['cmp1', 'cmp2']}, {hosts: []}, {hosts: ['cmp2']}])
    expect(exitCode).toBe(1)
  })
})

describe('the job of aggregates', () => {
  const jobs = async (groups: object | undefined) =>
    (await render(groups))
      .filter(({kind, metadata}) => /Job$/.test(kind) && metadata.name.includes('aggregates'))
      .map(({kind}) => kind)

  it.each<[string, object | undefined, readonly string[]]>([
    ['is absent without groups', undefined, []],
    ['deletes aggregates if the map of groups is empty', {}, ['Job']],
    ['also runs later, for nodes that get their labels then', {pinned: PINNED}, ['Job', 'CronJob']],
  ])('%s', async (_, groups, kinds) => {
    expect(await jobs(groups)).toEqual(kinds)
  })

  it('waits until the hosts are discovered, and only lists nodes', async () => {
    const objects = await render({pinned: PINNED})

    const spec = find(objects, 'Job', 'nova-aggregates').spec!.template!.spec
    expect(variable(spec.initContainers![0]!, 'DEPENDENCY_JOBS')).toMatch(/nova-discover-hosts-[0-9a-f]{8}/)
    expect(find(objects, 'ClusterRole', 'openstack-nova-aggregates').rules).toEqual([
      {apiGroups: [''], resources: ['nodes'], resourceNames: [], verbs: ['list']},
    ])
  })
})
