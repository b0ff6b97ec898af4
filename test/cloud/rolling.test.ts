import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {waitFor} from '../e2e/support/cluster.ts'
import {imageOf} from './support/images.ts'
import {linesOf, makeCloud, podIds, startClient} from './support/own-cloud.ts'

/** Asks for a token twice a second through the Service, by connections of its own, and prints what came of each. */
const CLIENT = `python3 -u - <<'PYTHON'
import json, time, urllib.request
password = {"user": {"name": "admin", "domain": {"id": "default"}, "password": "dev-admin"}}
scope = {"project": {"name": "admin", "domain": {"id": "default"}}}
body = json.dumps({"auth": {"identity": {"methods": ["password"], "password": password}, "scope": scope}}).encode()
while True:
    began = time.monotonic()
    try:
        call = urllib.request.Request("http://keystone-api:5000/v3/auth/tokens", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(call, timeout=20) as answer:
            print("token" if answer.headers["X-Subject-Token"] else "no token")
    except Exception as error:
        print("failed after %.1f s: %r" % (time.monotonic() - began, error))
    time.sleep(max(0, 0.5 - (time.monotonic() - began)))
PYTHON`

const API = 'app.kubernetes.io/name=keystone,app.kubernetes.io/component=api'
const KEYSTONE = {pod: {replicas: {api: 2}}}
const INFRASTRUCTURE = {mariadb: {storage: {size: '1Gi'}}, rabbitmq: {storage: {size: '1Gi'}}, memcached: {}}

let namespace: string
let cloud: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  cloud = await makeCloud(
    'mariadb-server',
    'rabbitmq',
    'memcached',
    'keystone',
    'keystone-2023.1',
    'toolbox',
    'kk',
  )
  namespace = cloud.namespace
  await cloud.run('deploy', {...INFRASTRUCTURE, keystone: KEYSTONE})
  await startClient({namespace, name: 'client', image: imageOf('toolbox'), script: CLIENT})
})
afterAll(() => cloud.remove())

/** What the client saw from the time when `change` began until ten answers after its end. */
async function during(change: () => Promise<void>): Promise<readonly string[]> {
  const before = (await linesOf(namespace, 'client')).length
  await change()
  const after = (await linesOf(namespace, 'client')).length
  const lines = await waitFor(
    async () => {
      const all = await linesOf(namespace, 'client')
      return all.length >= after + 10 && all
    },
    {until: 'the client has asked ten times more'},
  )
  return lines.slice(before)
}

describe('a client of keystone sees no failure while', () => {
  it.each([
    ['an option changes', 'reconfigure', {conf: {keystone: {token: {expiration: 7200}}}}],
    ['it becomes the next release', 'upgrade', {images: {tag: '2023.1-debian-bookworm'}}],
  ])(
    '%s',
    async (_, verb, section) => {
      const old = Object.values(await podIds(namespace, API))

      const answers = await during(async () => {
        await cloud.run(verb, {...INFRASTRUCTURE, keystone: {...KEYSTONE, ...section}}, 'keystone')
        await waitFor(
          async () => Object.values(await podIds(namespace, API)).every((id) => !old.includes(id)),
          {until: 'the old pods are gone'},
        )
      })

      expect(answers.filter((answer) => answer !== 'token')).toEqual([])
      expect(answers.length).toBeGreaterThan(20)
    },
    600_000,
  )
})
