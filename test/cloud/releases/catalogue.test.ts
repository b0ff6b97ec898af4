import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {imagesOf, python} from '../support/catalogue.ts'
import {serving} from '../support/cloud.ts'
import {imageOf} from '../support/images.ts'
import {inPod} from '../support/in-server.ts'
import {freeNode, makeCloud, startClient} from '../support/own-cloud.ts'
import {phase} from '../support/phase.ts'
import {ACCOUNT} from '../support/steady-client.ts'
import {
  expectOnNode,
  inBoth,
  NETWORK_IMAGES,
  NETWORKS,
  NEXT,
  SHARED_IMAGES,
  tagsOf,
} from '../support/upgrade.ts'

const CLIENT = 'client'

/** What is upgraded, each beside services that stay as they are. */
const UPGRADED = [
  'glance',
  'placement',
  'cinder',
  'horizon',
  'barbican',
  'designate',
  'gnocchi',
  'aodh',
  'ceilometer',
  'heat',
  'magnum',
  'octavia',
  'manila',
  'ironic',
]

/**
 * All with what they have on the node, and with volumes, backups and shares in a Ceph of the least memory.
 */
const SECTIONS = {
  ...Object.fromEntries(
    ['mariadb', 'rabbitmq', 'memcached', 'keystone', 'valkey', 'libvirt', ...UPGRADED].map((name) => [
      name,
      {},
    ]),
  ),
  ...NETWORKS,
  ceph: {manifests: {statefulset_mds: true}, conf: {ceph: {osd: {osd_memory_target: 939524096}}}},
} satisfies Values

let cloud: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  await freeNode()
  const images = inBoth(...(await imagesOf(UPGRADED)))
  const others = [
    'keystone',
    'valkey-server',
    'neutron-server',
    'neutron-metadata-agent',
    'nova-libvirt',
    'ceph',
  ]
  cloud = await makeCloud(...SHARED_IMAGES, ...NETWORK_IMAGES, ...others, ...images)
  await phase('deployed', () => cloud.run('deploy', SECTIONS))
  const image = imageOf('toolbox')
  await startClient({namespace: cloud.namespace, name: CLIENT, image, script: 'sleep infinity', env: ACCOUNT})
})
afterAll(() => cloud.remove())

/**
 * Of each service where something stands that was made in it: the type, the path and the headers of a
 * question.
 */
type Kept = Readonly<Record<string, readonly [string, string, Readonly<Record<string, string>>]>>

/** What a program prints as JSON. */
async function said<T>(program: string): Promise<T> {
  return JSON.parse(await inPod(cloud.namespace, CLIENT, 'bash', '-ec', python(program))) as T
}

const make = () =>
  said<Kept>(`
    import json

    project = session.get_project_id()


    def kept(kind, path, body, at, method="POST", accept="application/json", **versions):
        """Where what is made is found: its path below that of its kind, from the answer."""
        headers = {name.replace("_", "-"): version for name, version in versions.items()}
        answer = session.request(path, method, json=body, headers=headers, **where(kind))
        return [kind, path + at(answer.json()), {**headers, "Accept": accept}]


    metric = kept("metric", "/v1/metric", {"name": "kept", "archive_policy_name": "low"}, lambda made: "/" + made["id"] + "/measures")
    session.post(metric[1], json=[{"timestamp": "2026-01-01T00:00:00", "value": 4711}], **where("metric"))
    quota = {"project_id": project, "resource": "Cluster", "hard_limit": 4711}
    stack = {"heat_template_version": "2018-08-31", "resources": {"kept-4711": {"type": "OS::Heat::RandomString"}}}
    image = {"name": "kept-4711", "disk_format": "raw", "container_format": "bare"}
    print(json.dumps({
        "glance": kept("image", "/v2/images", image, lambda made: "/" + made["id"]),
        "placement": kept("placement", "/resource_providers", {"name": "kept-4711"}, lambda made: "/" + made["uuid"],
                          OpenStack_API_Version="placement 1.20"),
        "cinder": kept("block-storage", "/volumes", {"volume": {"name": "kept-4711", "size": 1}}, lambda made: "/" + made["volume"]["id"]),
        "barbican": kept("key-manager", "/v1/secrets", {"payload": "4711", "payload_content_type": "text/plain"},
                         lambda made: "/" + made["secret_ref"].rsplit("/", 1)[1] + "/payload", accept="text/plain"),
        "designate": kept("dns", "/v2/zones", {"name": "kept-4711.example.", "email": "kk@example.org"}, lambda made: "/" + made["id"]),
        "gnocchi": metric,
        "aodh": kept("alarming", "/v2/alarms", {"name": "kept-4711", "type": "event", "event_rule": {}}, lambda made: "/" + made["alarm_id"]),
        "heat": kept("orchestration", "/stacks", {"stack_name": "kept", "template": stack}, lambda made: "/kept/" + made["stack"]["id"] + "/resources"),
        "magnum": kept("container-infra", "/quotas", quota, lambda made: "/" + project + "/Cluster"),
        "octavia": kept("load-balancer", "/v2.0/lbaas/quotas/" + project, {"quota": {"load_balancer": 4711}}, lambda made: "", method="PUT"),
        "manila": kept("share", "/types", {"share_type": {"name": "kept-4711", "extra_specs": {"driver_handles_share_servers": "False"}}},
                       lambda made: "/" + made["share_type"]["id"], X_OpenStack_Manila_API_Version="2.60"),
        "ironic": kept("baremetal", "/v1/nodes", {"name": "kept-4711", "driver": "redfish"}, lambda made: "/" + made["uuid"],
                       X_OpenStack_Ironic_API_Version="1.80"),
    }))
  `)

/**
 * Backs up the volume of before, and restores it, which takes the new release's programs; resolves with the
 * statuses that were reached.
 */
const backUp = () =>
  said<Readonly<Record<string, string>>>(`
    import json


    def ask(method, path, body=None):
        return session.request(path, method, json=body, **where("block-storage")).json()


    def reached(path, key):
        """The status of what was begun, as soon as it is over."""
        return wait(lambda: (now := ask("GET", path)[key]["status"]) in ("available", "error", "error_restoring") and now)


    volume = ask("GET", "/volumes")["volumes"][0]["id"]
    backup = "/backups/" + ask("POST", "/backups", {"backup": {"volume_id": volume}})["backup"]["id"]
    made = {"backup": reached(backup, "backup")}
    restored = ask("POST", backup + "/restore", {"restore": {}})["restore"]["volume_id"]
    print(json.dumps({**made, "restored": reached("/volumes/" + restored, "volume")}))
  `)

/** What each service says of it now. */
const read = (kept: Kept) =>
  said<Readonly<Record<string, string>>>(`
    import json

    kept = json.loads("""${JSON.stringify(kept)}""")
    print(json.dumps({name: session.get(path, headers=headers, **where(kind)).text for name, (kind, path, headers) in kept.items()}))
  `)

describe('the next release of services without a continuous client in these tests', {
  timeout: 2_400_000,
}, () => {
  it('keeps existing data, runs only its own images, and passes its tests', async () => {
    const kept = await make()
    const next = {...SECTIONS, kk: {features: ['2026.1']}}

    await phase('upgraded', () => cloud.run('upgrade', next, ...UPGRADED, '--concurrency', '4'))

    const answers = Object.entries(await read(kept))
    expect(answers).toHaveLength(12)
    for (const [service, answer] of answers) expect(answer, service).toContain('4711')
    const pods = await Promise.all(UPGRADED.map((release) => serving(release, cloud.namespace)))
    expect(pods.map(tagsOf)).toEqual(UPGRADED.map(() => [NEXT]))
    await expectOnNode({namespace: cloud.namespace, release: 'ceilometer'})
    await phase('their own tests', () => cloud.run('test', next, ...UPGRADED))
    expect(await backUp()).toEqual({backup: 'available', restored: 'available'})
  })
})
