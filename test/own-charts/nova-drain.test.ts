import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {useCharts} from './support/charts.ts'
import {find} from './support/objects.ts'

const charts = await useCharts()

/**
 * Nova's modules, whose answers follow each other in a file: each query of instances takes the next. An
 * answer has the instances on the host, those that are on none, and the consumers that Placement knows.
 */
const NOVA = `
import json, os, sys, types
from types import SimpleNamespace as Thing
ANSWERS = json.loads(os.environ["ANSWERS"])
calls = []
def module(name, **members):
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made
class InstanceNotFound(Exception): pass
class MigrationNotFound(Exception): pass
class Service:
    disabled = False
    def save(self):
        print("disabled: %s" % self.disabled_reason, flush=True)
service = Service()
def answer():
    return ANSWERS[min(len(calls), len(ANSWERS) - 1)]
def by_host(context, host, expected_attrs):
    current = answer()
    if "error" in current:
        calls.append(1)
        raise RuntimeError(current["error"])
    calls.append(1)
    return [Thing(uuid=uuid, task_state=task) for uuid, task in current.get("here", {}).items()]
def by_uuid(context, uuid, expected_attrs):
    known = current_of_coming.get("comes", {})
    if uuid not in known:
        raise InstanceNotFound(uuid)
    return Thing(host=known[uuid])
def migration_by_uuid(context, uuid):
    if uuid != "migration":
        raise MigrationNotFound(uuid)
current_of_coming = {}
def allocations(context, node):
    global current_of_coming
    current_of_coming = ANSWERS[min(len(calls) - 1, len(ANSWERS) - 1)]
    return Thing(allocations={uuid: {} for uuid in current_of_coming.get("consumers", [])})
objects = module(
    "nova.objects",
    register_all=lambda: None,
    Service=Thing(get_by_compute_host=lambda context, host: service),
    InstanceList=Thing(get_by_host=by_host),
    MigrationList=Thing(get_by_filters=lambda context, filters: []),
    Migration=Thing(get_by_uuid=migration_by_uuid),
    ComputeNodeList=Thing(get_all_by_host=lambda context, host: [Thing(uuid="node")]),
    Instance=Thing(get_by_uuid=by_uuid),
)
base = module("nova.objects.base", NovaObject=Thing(indirection_api=None))
conf = module("nova.conf", CONF=Thing(host="node-1"))
config = module("nova.config", parse_args=lambda arguments: None)
context = module("nova.context", get_admin_context=lambda: None)
exception = module("nova.exception", InstanceNotFound=InstanceNotFound, MigrationNotFound=MigrationNotFound)
rpcapi = module("nova.conductor.rpcapi", ConductorAPI=lambda: None)
report = module("nova.scheduler.client.report", report_client_singleton=lambda: Thing(get_allocations_for_resource_provider=allocations))
module("nova", config=config, context=context, exception=exception, objects=objects)
module("nova.conductor", rpcapi=rpcapi)
module("nova.scheduler")
module("nova.scheduler.client", report=report)
`

interface Answer {
  /** The instances on the host, with their tasks. */
  readonly here?: Readonly<Record<string, string | null>>
  /** Other instances that nova knows, with their hosts. */
  readonly comes?: Readonly<Record<string, string | null>>
  /** What Placement has allocations of on the host. */
  readonly consumers?: readonly string[]
  readonly error?: string
}

/** Runs the program with these answers, one per query; returns its lines. */
async function drain(...answers: readonly Answer[]): Promise<readonly string[]> {
  const objects = await charts.render('nova')
  const script = find(objects, 'ConfigMap', 'nova-bin').data!['nova-drain.py']!
  const directory = testDirectory()
  const file = join(directory, 'drain.py')
  await writeFile(file, `${NOVA}\n${script.replace('time.sleep(2)', 'time.sleep(0)')}`)
  const env = {ANSWERS: JSON.stringify(answers), DRAIN_SECONDS: '20'}
  const {stdout, stderr} = await execa('python3', [file], {env})
  return [...stdout.split('\n'), ...stderr.split('\n')].filter((line) => line !== '')
}

const DISABLED = 'disabled: AUTO: kk: the pod of nova-compute ends'

it('a nova-compute without tasks is disabled, and ends after two queries', async () => {
  expect(await drain({here: {running: null}, consumers: ['running', 'migration']})).toEqual([DISABLED])
})

it('a nova-compute first ends its tasks', async () => {
  expect(await drain({here: {a: 'spawning'}}, {here: {a: 'spawning'}}, {here: {a: null}})).toEqual([
    ...[DISABLED, 'a is spawning', 'a is spawning'],
  ])
})

it('a nova-compute first builds what the scheduler has chosen its host for, also if nothing else shows it', async () => {
  const chosen = {comes: {b: null}, consumers: ['b']}

  expect(
    await drain({}, chosen, chosen, {here: {b: 'networking'}}, {here: {b: null}, consumers: ['b']}),
  ).toEqual([...[DISABLED, 'b comes', 'b comes', 'b is networking']])
})

it('an allocation of an instance on another host holds nothing, an unknown one only for a moment', async () => {
  expect(await drain({comes: {moved: 'node-2'}, consumers: ['moved']})).toEqual([DISABLED])
  expect(await drain({consumers: ['unknown']})).toEqual([DISABLED, ...Array(5).fill('unknown comes')])
})

it('a nova-compute ends if the conductor does not answer', async () => {
  expect(await drain({error: 'no conductor'})).toEqual([DISABLED, ...Array(3).fill('no conductor')])
})
