import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {RunDocument} from '../../../src/report/run/run-json.ts'
import {kk, kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {globalOfCloud} from '../support/environment.ts'
import {imageOf} from '../support/images.ts'
import {linesOf, makeCloud, startClient} from '../support/own-cloud.ts'

const IMAGES = [
  'mariadb-server',
  'rabbitmq',
  'memcached',
  'keystone',
  'glance-api',
  'ovn-northd',
  'tempest',
  'toolbox',
]
const CLIENT = 'secure-client'
const SMOKE = String.raw`^tempest\.api\.(identity|image)\..*\bsmoke\b`

let cloud: Awaited<ReturnType<typeof makeCloud>>
let sections: Record<string, object>
beforeAll(async () => {
  cloud = await makeCloud(...IMAGES)
  sections = {
    kk: {releases: {ovn: {without: ['openvswitch']}}},
    global: {
      ...(await globalOfCloud()),
      storage: 'persistent',
      pod: {resources: {enabled: false}},
      tls: {internal: true, plain: ['oslo_cache']},
    },
    keystone: {pod: {replicas: {api: 2}}},
    // A volume that one pod alone may have would have it go before the next one comes.
    glance: {storage: {backend: 'file', ephemeral: true}},
    ovn: {manifests: {daemonset_controller: false}},
    tempest: {conf: {run: {regex: SMOKE}}},
  }
})
afterAll(() => cloud.remove())

const exec = (pod: string, ...command: readonly string[]) =>
  kubectl(['exec', '--namespace', cloud.namespace, pod, '--', ...command])

async function revisions(): Promise<readonly string[]> {
  const selector = ['--namespace', cloud.namespace, '--selector', 'owner=helm', '--output', 'name']
  return (await kubectl(['get', 'secrets', ...selector])).trim().split('\n').toSorted()
}

/** The certificate that a server shows, as its SHA-256 in hexadecimal; without it there is no TLS. */
const shown = (host: string, port: number) =>
  exec(
    CLIENT,
    ...['python3', '-c'],
    `import hashlib, ssl; pem = ssl.get_server_certificate(("${host}", ${port}), timeout=10); print(hashlib.sha256(pem.encode()).hexdigest())`,
  )

/**
 * Python that asks for a token and the images twice a second, each by connections of its own, and believes
 * the authority alone.
 */
const STEADY = `mkdir -p /tmp/tls && printenv AUTHORITY >/tmp/tls/ca.crt
python3 -u - <<'PYTHON'
import json, ssl, time, urllib.request
TRUST = ssl.create_default_context(cafile="/tmp/tls/ca.crt")
def call(url, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=20, context=TRUST) as answer:
        return answer.headers, answer.read()
import os
USER = {"name": "admin", "domain": {"id": "default"}, "password": os.environ["OS_PASSWORD"]}
SCOPE = {"project": {"name": "admin", "domain": {"id": "default"}}}
AUTH = {"auth": {"identity": {"methods": ["password"], "password": {"user": USER}}, "scope": SCOPE}}
while True:
    try:
        token = call(os.environ["KEYSTONE"] + "/v3/auth/tokens", AUTH)[0]["X-Subject-Token"]
        call(os.environ["GLANCE"] + "/v2/images", **{"X-Auth-Token": token})
        print("answered")
    except Exception as error:
        print("failed: %r" % error)
    time.sleep(0.5)
PYTHON`

describe('a cloud with internal TLS', {timeout: 2_400_000}, () => {
  it('is deployed, and its services pass their tests', async () => {
    await cloud.run('deploy', sections)

    await cloud.run('test', sections, 'mariadb', 'rabbitmq', 'keystone', 'glance')
  })

  it('is not changed by another deploy', async () => {
    const before = await revisions()

    await cloud.run('deploy', sections)

    expect(await revisions()).toEqual(before)
  })

  it('passes the OpenStack tests of identity and images', async () => {
    const {exitCode, stdout, stderr} = await cloud.attempt('test', sections, 'tempest', '--output', 'json')

    expect(exitCode, `${stdout}\n${stderr}`).toBe(0)
    const {releases} = JSON.parse(stdout) as RunDocument
    const outcomes = releases.flatMap(({tests = []}) => tests).map(({outcome}) => outcome)
    expect(outcomes).not.toContain('failed')
    expect(outcomes.filter((outcome) => outcome === 'passed').length).toBeGreaterThan(10)
  })

  it('rejects clear-text connections', async () => {
    await expect(
      exec('mariadb-server-0', 'mariadb', '--host=mariadb-server', '--skip-ssl', '--execute=SELECT 1'),
    ).rejects.toThrow('insecure transport')
    await expect(
      exec('deployment/ovn-northd', 'ovn-nbctl', '--db=tcp:ovn-nb:6641', '--timeout=10', 'ls-list'),
    ).rejects.toThrow()
    for (const url of [
      'http://keystone-api:5000/v3',
      'http://glance-api:9292/',
      'http://rabbitmq-server:15672/',
    ]) {
      await expect(exec('rabbitmq-server-0', 'curl', '--silent', '--max-time', '10', url)).rejects.toThrow()
    }
  })

  it('renews certificates without a failed client request', async () => {
    const {namespace} = cloud
    const domain = `${namespace}.svc.cluster.local`
    const secret = ['get', 'secret', '--namespace', namespace, 'keystone-tls', '--output']
    const authority = Buffer.from(
      await kubectl([...secret, 'jsonpath={.data.ca\\.crt}']),
      'base64',
    ).toString()
    const env = {
      AUTHORITY: authority,
      OS_PASSWORD: 'dev-admin',
      KEYSTONE: `https://keystone-api.${domain}:5000`,
      GLANCE: `https://glance-api.${domain}:9292`,
    }
    await startClient({namespace, name: CLIENT, image: imageOf('toolbox'), script: STEADY, env})
    const lines = () => linesOf(namespace, CLIENT)
    await waitFor(async () => (await lines()).includes('answered'), {
      until: 'the client is answered',
      seconds: 120,
    })
    const SERVERS = [
      ['keystone-api', 5000],
      ['glance-api', 9292],
      ['rabbitmq-server', 5672],
    ] as const
    const before = await Promise.all(SERVERS.map(([host, port]) => shown(host, port)))
    const began = (await lines()).length

    const rotation = [
      'secrets',
      'rotate',
      'tls.authority',
      '-e',
      cloud.file,
      '--sandbox-name',
      'aio',
      '--yes',
    ]
    const rotated = await kk(rotation)
    expect(rotated.exitCode, rotated.stderr).toBe(0)
    await cloud.run('deploy', sections)

    for (const [index, [host, port]] of SERVERS.entries()) {
      await waitFor(async () => (await shown(host, port)) !== before[index], {
        until: `${host} shows another certificate`,
        seconds: 300,
      })
    }
    const ended = (await lines()).length
    const seen = await waitFor(
      async () => {
        const now = await lines()
        return now.length >= ended + 10 && now.slice(began)
      },
      {until: 'the client has asked ten times more', seconds: 120},
    )
    expect(new Set(seen)).toEqual(new Set(['answered']))
  })
})
