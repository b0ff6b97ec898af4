import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, describe, expect, it} from 'vitest'
import {REGISTRY} from '../../../scripts/cloud/images.ts'
import {python, servicesUp} from '../support/catalogue.ts'
import {inClient} from '../support/client.ts'
import {cloudUp} from '../support/cloud.ts'
import {globalOfCloud} from '../support/environment.ts'
import {pushImages} from '../support/images.ts'
import {machine} from '../support/machines.ts'

const IMAGE = `${REGISTRY}/kk/starlingx-stand-in:test`

/** StarlingX's sources are in no registry of packages: what reads the same files stands in for its images. */
beforeAll(async () => {
  await cloudUp()
  await pushImages('placement-api', 'toolbox')
  const of = ['--build-arg', 'BASE=localhost/kk/placement-api:2025.1-debian-trixie']
  await execa('buildah', ['build', '--quiet', ...of, '--tag', IMAGE, join(import.meta.dirname, 'stand-ins')])
  await execa('buildah', ['push', '--quiet', '--tls-verify=false', IMAGE, `docker://${IMAGE}`])
  const {endpoints} = await globalOfCloud()
  await servicesUp(['fm-rest-api', 'nova-api-proxy'], {
    global: {endpoints},
    'fm-rest-api': {images: {tags: {fm_rest_api: IMAGE}}},
    'nova-api-proxy': {images: {tags: {nova_api_proxy: IMAGE}}},
  })
  await machine()
})

describe('fm-rest-api: a substitute for the StarlingX image', () => {
  it('responds from its database to callers with a token only', async () => {
    const said = await inClient(
      python(`
        print([alarm["alarm_id"] for alarm in session.get("/alarms", **where("faultmanagement")).json()["alarms"]])
        print(session.get("/alarms", authenticated=False, raise_exc=False, **where("faultmanagement")).status_code)
      `),
    )

    expect(said.trim().split('\n')).toEqual(["['100.101']", '401'])
  })
})

describe('nova-api-proxy: a substitute for the StarlingX image', () => {
  it('returns the servers of nova', async () => {
    const said = await inClient(
      python(`
        answer = session.get("http://nova-api-proxy-proxy:8774/v2.1/servers")
        print("first" in [server["name"] for server in answer.json()["servers"]], answer.headers["X-Stand-In"])
      `),
    )

    expect(said.trim()).toBe('True nova-api-proxy')
  })
})
