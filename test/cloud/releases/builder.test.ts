import {readFile} from 'node:fs/promises'
import {homedir} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import {load} from 'js-yaml'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {kubectl} from '../../aio/support/node.ts'
import {uniqueName} from '../../e2e/support/cluster.ts'
import {token} from '../support/client.ts'
import {cloudUp, NAMESPACE, ofOthers, serving, succeed, uids} from '../support/cloud.ts'
import {changedEnvironment} from '../support/environment.ts'
import {ROOT} from '../support/images.ts'
import {phase} from '../support/phase.ts'

/** The registry as pods call it. */
const REGISTRY = '10.213.0.1:5010'

beforeAll(cloudUp)

/**
 * What the builder is to build. It goes on from the layers that this machine has, and trusts whom it trusts.
 */
async function building(line: string): Promise<Values> {
  const written = await readFile(join(ROOT, 'images/keystone/Containerfile'), 'utf8')
  const build = {
    registry: REGISTRY,
    plain_http: true,
    names: ['keystone'],
    containerfiles: {'keystone/Containerfile': `${written.trimEnd()}\n${line}\n`},
  }
  const volumes = {
    storage: {host: '/var/lib/containers'},
    cache: {host: join(homedir(), '.cache')},
    certificates: {path: '/etc/ssl/certs', host: '/etc/ssl/certs'},
  }
  return {'kolla-builder': {conf: {build}, jobs: {build: {volumes}}}}
}

describe('a changed line of a Containerfile', () => {
  it('triggers a build and push in the cluster, and a rollout of only that service to the pushed image', async () => {
    const mark = uniqueName('built')
    const values = await building(`RUN echo ${mark} >/etc/kk-built-in-the-cluster`)

    await phase('built in the cluster', async () =>
      succeed(['deploy', await changedEnvironment({values}), '--yes']),
    )
    const {stdout} = await execa(inject('aio').kk, ['images', 'values', 'keystone', '--registry', REGISTRY])
    const before = await serving()
    const file = await changedEnvironment({
      // Said of this service, not of all: its image alone is another.
      values: {...values, keystone: (load(stdout) as {readonly global: Values}).global},
    })
    await phase('Keystone updated to it', () => succeed(['update', file, 'keystone', '--yes']))

    const [keystone] = await serving('keystone')
    expect(keystone!.spec.containers[0]!.image).toMatch(
      /^10\.213\.0\.1:5010\/kk\/keystone:[\w.-]+@sha256:[0-9a-f]{64}$/,
    )
    const [, digest] = keystone!.spec.containers[0]!.image.split('@')
    const job = await kubectl([
      'logs',
      '--namespace',
      NAMESPACE,
      '--selector',
      'app.kubernetes.io/component=build',
      '--tail',
      '-1',
    ])
    expect(job).toContain(digest)
    const inside = [
      'exec',
      '--namespace',
      NAMESPACE,
      keystone!.metadata.name,
      '--',
      'cat',
      '/etc/kk-built-in-the-cluster',
    ]
    expect(await kubectl(inside)).toBe(mark)
    expect(uids(ofOthers(await serving()))).toEqual(uids(ofOthers(before)))
    expect((await token()).id).toMatch(/^gAAAA/)
  })
})
