import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {eventsIn, factsIn, type Operation} from '../../src/nodes/facts.ts'
import {testDirectory} from '../support/test-directory.ts'
import {GIVEN, useCharts} from './support/charts.ts'
import {find, variable} from './support/objects.ts'

const charts = await useCharts()

/**
 * The openstacksdk of a nova in a file. A task of a server ends after two requests for it, and an evacuation
 * later than its task; `fails` names
 * servers that do not move, and `busy` those that answer with a conflict once.
 */
const SDK = `
import json, os, sys, types
from types import SimpleNamespace as Thing
PATH = os.environ["NOVA"]
class HttpException(Exception):
    details = None
class NotFoundException(HttpException): pass
class ConflictException(HttpException): pass
exceptions = types.ModuleType("openstack.exceptions")
for each in (HttpException, NotFoundException, ConflictException):
    setattr(exceptions, each.__name__, each)
exceptions.raise_from_response = lambda response: None
sys.modules["openstack.exceptions"] = exceptions
nova = json.load(open(PATH))
def save():
    json.dump(nova, open(PATH, "w"))
def log(what):
    nova["calls"].append(what)
    save()
def thing(value):
    return json.loads(json.dumps(value), object_hook=lambda item: item if "message" in item else Thing(**item))
class Compute:
    def hypervisors(self, details):
        return [Thing(id=each["host"], name=each["host"] + ".cloud", service_details={"host": each["host"]}) for each in nova["services"]]
    def services(self, binary, host=None):
        return [Thing(**each) for each in nova["services"] if host in (None, each["host"])]
    def disable_service(self, service, disabled_reason):
        log("disable %s: %s" % (service.host, disabled_reason))
    def update_service_forced_down(self, service, forced):
        log("forced down %s: %s" % (service.host, forced))
        nova["services"][0]["is_forced_down"] = forced
    def post(self, path, json, microversion):
        assert "evacuate" in json and microversion == "2.79"
        server = self.get_server(path.split("/")[2])
        self.task("evacuate", server, status="ACTIVE")
        status = "failed" if server.id in nova["fails"] else "accepted"
        nova["migrations"].append({"server": server.id, "status": status, "evacuation": 5})
        save()
    def delete_service(self, service):
        log("delete service %s" % service.host)
        nova["services"] = [each for each in nova["services"] if each["host"] != service.host]
        save()
    def enable_service(self, service):
        log("enable %s" % service.host)
    def servers(self, details, all_projects):
        return [thing({**each, "flavor": {**each["flavor"], "extra_specs": None}}) for each in nova["servers"]]
    def server_groups(self, all_projects):
        return [Thing(id="g", policy="anti-affinity", member_ids=["one"]), Thing(id="h", policy="affinity", member_ids=["one"])]
    def find(self, id):
        for each in nova["servers"]:
            if each["id"] == id:
                return each
        raise NotFoundException(id)
    def get_server(self, id):
        server = self.find(id)
        if server["task_state"]:
            server["task_state"] -= 1
            if not server["task_state"]:
                server["task_state"] = None
                server.update(server.pop("next"))
        save()
        return thing(server)
    def task(self, what, server, **then):
        if server.id in nova["busy"]:
            nova["busy"].remove(server.id)
            raise ConflictException("busy")
        log("%s %s" % (what, server.id))
        own = self.find(server.id)
        own["task_state"] = 2
        own["next"] = {} if server.id in nova["fails"] else then
        save()
    def live_migrate_server(self, server):
        self.task("live", server, compute_host="b")
    def migrate_server(self, server):
        self.task("cold", server, compute_host="b", status="VERIFY_RESIZE", was=server.status)
    def confirm_server_resize(self, server):
        self.task("confirm", server, status=server.was)
    def stop_server(self, server):
        self.task("stop", server, status="SHUTOFF")
    def start_server(self, server):
        self.task("start", server, status="ACTIVE")
    def put(self, path, microversion):
        assert microversion == "2.26"
        _, _, id, _, tag = path.split("/")
        self.find(id)["tags"].append(tag)
    def delete(self, path, microversion):
        assert microversion == "2.26"
        _, _, id, _, tag = path.split("/")
        self.find(id)["tags"].remove(tag)
        save()
    def migrations(self, status=None, server_id=None, migration_type=None):
        if migration_type == "evacuation":
            self.finish_evacuations(server_id)
        own = [each for each in nova["migrations"] if status in (None, each["status"]) and server_id in (None, each["server"])]
        return [Thing(server_id=each["server"], source_compute="a", dest_compute="b", status=each["status"]) for each in own]
    def finish_evacuations(self, id):
        for each in nova["migrations"]:
            if each["server"] == id and each["status"] == "accepted":
                each["evacuation"] -= 1
                if each["evacuation"] == 0:
                    each["status"] = "done"
                    self.find(id)["compute_host"] = "b"
        save()
    def server_actions(self, server):
        return [Thing(request_id="r", message="Error")]
    def get_server_action(self, request, server):
        return Thing(events=[{"details": None}, {"details": "No valid host was found"}])
class Placement:
    def delete(self, path):
        log("delete %s" % path)
        if path.split("/")[-1] not in nova["fails"]:
            nova["providers"] = [each for each in nova["providers"] if not path.endswith("/" + each["uuid"])]
        save()
    def get(self, path, microversion):
        if path.startswith("/resource_providers") and path.count("/") == 1:
            key, _, value = path.partition("?")[2].partition("=")
            root = lambda each: each.get("root", each["uuid"])
            fits = {"": lambda each: True, "name": lambda each: each["name"] == value, "in_tree": lambda each: root(each) == value}
            own = [each for each in nova["providers"] if fits[key](each)]
            return Thing(json=lambda: {"resource_providers": own})
        answers = {
            "inventories": {"inventories": {"VCPU": {"total": 4, "reserved": 1, "allocation_ratio": 4.0}}},
            "usages": {"usages": {"VCPU": 2}},
            "allocations": {"allocations": {"one": {"resources": {"VCPU": 2, "VGPU": 1}}}},
        }
        return Thing(json=lambda: answers[path.split("/")[-1]])
class Identity:
    def get_project(self, id):
        return Thing(name="shop")
    def get_user(self, id):
        raise NotFoundException(id)
class Network:
    def ports(self):
        return [Thing(device_id="two", binding_vnic_type="direct"), Thing(device_id="one", binding_vnic_type="normal")]
    def agents(self):
        # One that was deleted is there for so many looks.
        going = nova.setdefault("going", {})
        nova["agents"] = [each for each in nova["agents"] if going.get(each["id"], 1) > 0]
        nova["going"] = {id: looks - 1 for id, looks in going.items()}
        return [Thing(**{"configuration": None, **each}) for each in nova["agents"]]
    def delete_agent(self, id):
        log("delete agent %s" % id)
        if id not in nova["fails"]:
            nova.setdefault("going", {})[id] = nova.get("looks", 0)
        save()
def connect():
    return Thing(compute=Compute(), placement=Placement(), identity=Identity(), network=Network())
`

function server(id: string, more: object = {}) {
  return {
    ...{id, name: id, compute_host: 'a', status: 'ACTIVE', task_state: null, is_locked: false, tags: []},
    ...{
      project_id: 'p',
      user_id: 'u',
      pinned_availability_zone: null,
      fault: null,
      image: {id: 'i'},
      attached_volumes: [{id: 'v'}],
    },
    ...{flavor: {disk: 20}},
    ...more,
  }
}

const service = (host: string, more: object = {}) => ({
  ...{host, availability_zone: 'nova', state: 'up', status: 'enabled'},
  ...{is_forced_down: false, disabled_reason: null},
  ...more,
})

interface Nova {
  readonly services?: readonly object[]
  readonly servers?: readonly object[]
  readonly fails?: readonly string[]
  readonly busy?: readonly string[]
  readonly agents?: readonly object[]
  /** How often an agent is still listed after its deletion. */
  readonly looks?: number
  readonly providers?: readonly object[]
  readonly migrations?: readonly object[]
}

/** Runs the program of the chart; returns its lines, and what nova has then. */
async function run(
  operations: readonly Operation[],
  nova: Nova,
  {storage = 'ceph', seconds = 60}: {readonly storage?: string; readonly seconds?: number} = {},
) {
  const objects = await charts.render('nova', {global: {...GIVEN, storage: {backend: storage}}})
  const cronJob = find(objects, 'CronJob', 'nova-instances')
  const [container] = cronJob.spec!.jobTemplate!.spec.template.spec.containers
  const directory = testDirectory()
  const path = join(directory, 'nova.json')
  const services = [service('a'), service('b')]
  await writeFile(
    path,
    JSON.stringify({
      services,
      servers: [],
      fails: [],
      busy: [],
      calls: [],
      agents: [],
      providers: [],
      migrations: [],
      ...nova,
    }),
  )
  await writeFile(join(directory, 'openstack.py'), SDK)
  const {exitCode, stdout, stderr} = await execa(
    'python3',
    [
      '-c',
      find(objects, 'ConfigMap', 'nova-bin').data!['nova-instances.py']!.replaceAll(
        /time\.sleep\(.*\)$/gm,
        'pass',
      ),
    ],
    {
      env: {
        PYTHONPATH: directory,
        NOVA: path,
        OPERATIONS: operations.length > 0 ? JSON.stringify(operations) : variable(container!, 'OPERATIONS')!,
        CONCURRENCY: variable(container!, 'CONCURRENCY')!,
        SECONDS: String(seconds),
      },
      reject: false,
    },
  )
  expect(exitCode, stderr).toBe(0)
  const log = stdout.split('\n')
  const ended = eventsIn(log).filter(({event}) => event !== 'started')
  const after = JSON.parse(await readFile(path, 'utf8')) as {
    readonly calls: readonly string[]
    readonly services: readonly object[]
    readonly servers: readonly Readonly<Record<string, unknown>>[]
  }
  return {
    log,
    ...after,
    results: ended.map(({do: way, server: id = '', event, result}) => `${way} ${id}: ${event}: ${result}`),
  }
}

const on = (way: Operation['do'], id?: string): Operation => ({
  ...{do: way, host: 'a'},
  ...(id !== undefined && {server: id}),
})

describe('the program of nova for kk node', () => {
  it('prints hosts, instances and groups as Placement, neutron and keystone know them', async () => {
    const servers = [server('one'), server('two', {image: null}), server('off', {compute_host: null})]

    const {log} = await run([], {
      services: [service('a', {status: 'disabled', disabled_reason: 'x'})],
      servers,
    })

    const {hosts, servers: seen, apart} = factsIn(log)
    expect(hosts).toEqual([
      {
        ...{name: 'a', zone: 'nova', isUp: true, isForcedDown: false, isEnabled: false, reason: 'x'},
        ...{room: {VCPU: 12}, used: {VCPU: 2}},
      },
    ])
    expect(seen.map(({id}) => id)).toEqual(['one', 'two'])
    expect(seen[0]).toMatchObject({
      host: 'a',
      project: 'shop',
      user: 'u',
      needs: {VCPU: 2},
      localDiskGB: 0,
      volumes: ['v'],
      devices: [],
    })
    expect(seen[1]).toMatchObject({devices: ['port'], needs: {}})
    expect(apart).toEqual([{id: 'g', members: ['one']}])
  })

  it('prints what else is known of hosts, under each of their names, and which migrations are not over', async () => {
    const {log} = await run([], {
      agents: [
        {id: 'a', host: 'a'},
        {id: 'm', host: '("Chassis" register deleted)', configuration: {chassis_name: 'a'}},
      ],
      providers: [{uuid: 'p', name: 'a.cloud'}],
      migrations: [
        {server: 'one', status: 'finished'},
        {server: 'two', status: 'confirmed'},
      ],
    })

    expect(factsIn(log)).toMatchObject({
      agents: [
        {id: 'a', hosts: ['a']},
        {id: 'm', hosts: ['("Chassis" register deleted)', 'a', 'm']},
      ],
      providers: ['a.cloud'],
      moving: [{server: 'one', source: 'a', target: 'b', status: 'finished'}],
    })
  })

  it('distinguishes disks on the host from volumes if nova stores disks as files', async () => {
    const {log} = await run([], {servers: [server('one'), server('two', {image: null})]}, {storage: 'file'})

    expect(factsIn(log).servers.map(({localDiskGB}) => localDiskGB)).toEqual([20, 0])
  })

  it('disables the host, then moves and stops instances', async () => {
    const servers = [server('one'), server('two'), server('three'), server('off', {status: 'SHUTOFF'})]
    const operations = [
      on('disable'),
      on('live', 'one'),
      on('cold', 'two'),
      on('stop', 'three'),
      on('cold', 'off'),
    ]

    const {results, calls, servers: after} = await run(operations, {servers})

    expect(results.toSorted()).toEqual([
      'cold off: done: is on b',
      'cold two: done: is on b',
      'disable : done: disabled',
      'live one: done: is on b',
      'stop three: done: is stopped',
    ])
    expect(calls[0]).toBe('disable a: kk: drained')
    expect(after.map(({status, compute_host: at, tags}) => [status, at, tags])).toEqual([
      ['ACTIVE', 'b', []],
      ['ACTIVE', 'b', []],
      ['SHUTOFF', 'a', ['kk:stopped']],
      ['SHUTOFF', 'b', []],
    ])
  })

  it('continues what a former pod has begun', async () => {
    const servers = [
      server('moved', {compute_host: 'b'}),
      server('moving', {task_state: 2, next: {compute_host: 'b'}}),
      server('resized', {compute_host: 'b', status: 'VERIFY_RESIZE', was: 'ACTIVE'}),
    ]
    const operations = [
      on('live', 'moved'),
      on('live', 'moving'),
      on('cold', 'resized'),
      on('live', 'deleted'),
    ]

    const {results, calls} = await run(operations, {servers, services: [service('a')]})

    expect(results.toSorted()).toEqual([
      'cold resized: done: is on b',
      'live deleted: done: is deleted',
      'live moved: done: is on b',
      'live moving: done: is on b',
    ])
    expect(calls).toEqual(['confirm resized'])
  })

  it('tries three times, and then gives the reason of nova, while others move', async () => {
    const operations = [on('live', 'one'), on('live', 'two')]
    const nova = {servers: [server('one'), server('two')], fails: ['one'], busy: ['two']}

    const {results, calls} = await run(operations, nova)

    expect(results).toEqual(['live two: done: is on b', 'live one: failed: No valid host was found'])
    expect(calls.filter((call) => call === 'live one')).toHaveLength(3)
  })

  it('ends at its deadline with what is not done, and leaves an instance in ERROR', async () => {
    const servers = [
      server('one', {task_state: 99}),
      server('two', {status: 'ERROR', fault: {message: 'lost'}}),
    ]

    const {results} = await run([on('live', 'one'), on('live', 'two')], {servers}, {seconds: 0})

    expect(results).toEqual(['live one: failed: not done in time', 'live two: failed: lost'])
  })

  it('enables only what it has disabled, once it is up, and starts what it has stopped', async () => {
    const servers = [server('one', {status: 'SHUTOFF', tags: ['kk:stopped', 'web']})]
    const operations = [on('enable'), on('start', 'one')]
    const ours = service('a', {status: 'disabled', disabled_reason: 'kk: drained'})

    const returned = await run(operations, {servers, services: [ours]})
    const foreign = await run(operations, {servers, services: [{...ours, disabled_reason: 'new disk'}]})
    const down = await run(operations, {servers, services: [{...ours, state: 'down'}]}, {seconds: 0})

    expect(returned.results).toEqual(['enable : done: enabled', 'start one: done: runs'])
    expect(returned.servers[0]).toMatchObject({status: 'ACTIVE', tags: ['web']})
    expect(foreign.results).toEqual(['enable : failed: a user has disabled it: new disk'])
    expect(foreign.calls).toEqual([])
    expect(down.results).toEqual(['enable : failed: not done in time'])
  })

  it('forces a dead host down, starts its instances elsewhere, and takes it back', async () => {
    const servers = [server('one'), server('two', {status: 'ERROR'})]
    const dead = service('a', {state: 'down'})
    const back = service('a', {status: 'disabled', disabled_reason: 'kk: evacuated', is_forced_down: true})

    const evacuated = await run([on('force-down'), on('evacuate', 'one'), on('evacuate', 'two')], {
      ...{servers, services: [dead]},
    })
    const returned = await run([on('enable')], {services: [back]})

    expect(evacuated.results).toEqual([
      'force-down : done: disabled',
      ...['evacuate one: done: is on b', 'evacuate two: done: is on b'],
    ])
    expect(evacuated.calls).toEqual([
      ...['disable a: kk: evacuated', 'forced down a: True'],
      ...['evacuate one', 'evacuate two'],
    ])
    expect(returned.results).toEqual(['enable : done: enabled'])
    expect(returned.calls).toEqual(['forced down a: False', 'enable a'])
  })

  it('keeps the reason of a host that a user has disabled', async () => {
    const {calls, results} = await run([on('disable')], {
      services: [service('a', {status: 'disabled', disabled_reason: 'new disk'})],
    })

    expect(results).toEqual(['disable : done: disabled'])
    expect(calls).toEqual([])
  })

  const known = {
    agents: [
      {id: 'a', host: 'a'},
      {id: 'metadata', host: '("Chassis" register deleted)', configuration: {chassis_name: 'a'}},
      {id: 'b', host: 'b'},
    ],
    providers: [
      {uuid: 'p', name: 'a.cloud'},
      {uuid: 'card', name: 'a.cloud_gpu', root: 'p'},
      {uuid: 'q', name: 'b.cloud'},
    ],
  }

  it('deletes a host with its agents, and the resource providers that nova has left', async () => {
    const {results, calls, services} = await run([on('remove')], known)

    expect(results).toEqual(['remove : done: deleted'])
    expect(calls).toEqual([
      ...['delete service a', 'delete agent a', 'delete agent metadata'],
      ...['delete /resource_providers/card', 'delete /resource_providers/p'],
    ])
    expect(services).toMatchObject([{host: 'b'}])
  })

  it('goes on after an interruption, when nova no longer knows the host', async () => {
    const {results, calls} = await run([on('remove')], {...known, services: [service('b')]})

    expect(results).toEqual(['remove : done: deleted'])
    expect(calls).toContain('delete agent metadata')
    expect(calls).toContain('delete /resource_providers/p')
  })

  it('leaves the agents of a host that stays a chassis, which neutron would delete with them', async () => {
    const {results, calls} = await run([{...on('remove'), keepsChassis: true}], known)

    expect(results).toEqual(['remove : done: deleted'])
    expect(calls.filter((call) => call.includes('agent'))).toEqual([])
  })

  it('waits for agents that neutron still lists for a while', async () => {
    const {results} = await run([on('remove')], {...known, looks: 4})

    expect(results).toEqual(['remove : done: deleted'])
  })

  it('does not call deleted what is still there', async () => {
    const {results} = await run([on('remove')], {...known, fails: ['metadata', 'p']})

    expect(results).toEqual(['remove : failed: not deleted: resource provider a.cloud, agent metadata'])
  })
})
