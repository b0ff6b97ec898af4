import {globSync} from 'node:fs'
import {chmod, rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {cloudUp, NAMESPACE, onCloud, podsOf, succeed, uids} from '../support/cloud.ts'
import {changedEnvironment} from '../support/environment.ts'
import {machine} from '../support/machines.ts'
import {cloudFile, nextFeatures} from '../support/next-release.ts'
import {phase} from '../support/phase.ts'
import {plantedImage} from '../support/planted-image.ts'

/** A program of the planted image: runs a command again whenever it ends, so that its container does not. */
const KEEP_RUNNING = `#!/bin/bash
trap 'kill $!; exit' TERM
while true; do
  "$@" &
  wait $!
done
`

let image: string
let planted: string

beforeAll(async () => {
  await cloudUp()
  // Without a guest nova-compute needs root for nothing when it starts.
  await machine()
  image = await imageOfCompute()
  planted = await phase('planted image', () => plant(image))
})

afterAll(async () => {
  if ((await imageOfCompute()) !== image) await succeed(['upgrade', await cloudFile(), 'nova', '--yes'])
})

async function imageOfCompute(): Promise<string> {
  const pods = await podsOf('nova')
  return pods.find(({metadata}) => metadata.labels['app.kubernetes.io/component'] === 'compute')!.spec
    .containers[0]!.image
}

/** Pushes an image of nova-compute without the rule of sudo to the registry of the node. */
function plant(from: string): Promise<string> {
  return plantedImage(from, async (root) => {
    await rm(join(root, 'etc/sudoers.d/nova'))
    const program = join(root, 'usr/local/bin/keep-running')
    await writeFile(program, KEEP_RUNNING)
    await chmod(program, 0o755)
  })
}

/** Turns off what Kubernetes asks the container. */
const WITHOUT_PROBES: Values = {
  pod: {
    probes: {
      compute: {
        compute: {startup: {enabled: false}, readiness: {enabled: false}, liveness: {enabled: false}},
      },
    },
  },
}
/** Turns off the Deployment that is ready as long as nova reports its services up. */
const WITHOUT_STATUS: Values = {manifests: {deployment_status: false}}
/** Turns off the check before the start, and has nova-compute started again inside its container. */
const KEPT_RUNNING: Values = {
  components: {compute: {rootwrap: '', command: 'keep-running bash /scripts/nova-compute.sh'}},
}

/** Upgrades nova to the planted image; resolves with the output and exit code. */
async function upgrade(values: Values, timeout: string, ...flags: readonly string[]) {
  const file = await changedEnvironment({
    values: {
      kk: {...nextFeatures(), releases: {nova: {timeout}}},
      nova: {images: {tags: {nova_compute: planted}}, ...values},
    },
  })
  const {exitCode, stdout, stderr} = await onCloud(['upgrade', file, 'nova', '--yes', ...flags])
  return {exitCode, said: `${stdout}\n${stderr}`}
}

/**
 * Expects a red run with the cause, and prints the line with it, which begins with the time since the start.
 */
function expectFound({exitCode, said}: {readonly exitCode?: number; readonly said: string}, cause: RegExp) {
  process.stderr.write(`found: ${said.split('\n').find((line) => cause.test(line)) ?? 'not at all'}\n`)
  expect(exitCode, said).toBe(1)
  expect(said).toMatch(cause)
}

describe('an image of nova-compute without the rule of sudo', {timeout: 1_800_000}, () => {
  it('is found by the check before its start', async () => {
    const ended = await upgrade(WITHOUT_STATUS, '150s')

    expectFound(ended, /sudo: a password is required/)
  })

  it('is found by the restarts of its container, without that check', async () => {
    const ended = await upgrade(
      {...WITHOUT_STATUS, ...WITHOUT_PROBES, components: {compute: {rootwrap: ''}}},
      '150s',
    )

    expectFound(ended, /compute: restarting \((once|\d+ times) in/)
    expect(ended.said).not.toContain(': down')
  })

  it('is found by the status of its service if its container never ends, and nova is rolled back', async () => {
    const ended = await upgrade({...WITHOUT_PROBES, ...KEPT_RUNNING}, '5m', '--on-failure', 'rollback-failed')

    expectFound(ended, /nova-compute on \S+: down/)
    expect(ended.said).not.toContain('restarting (')
    expect(await imageOfCompute()).toBe(image)
    const {exitCode, stdout} = await onCloud(['status', await cloudFile()])
    expect(exitCode, stdout).toBe(0)
    expect(await kubectl(['get', 'pods', '--all-namespaces', '--output', 'yaml'])).not.toContain(planted)
  })
})

const MIGRATION = `
revision = 'ffff00001111'
down_revision = 'c6214ca60943'


def upgrade():
    op.drop_column('stack', 'owner_id')
`

describe('an image of heat with a migration that drops a column', () => {
  let broken: string
  const fileWith = (releases: Values) =>
    changedEnvironment({
      values: {kk: {...nextFeatures(), releases}, heat: {images: {tags: {heat_api: broken}}}},
    })
  const accepted = () => fileWith({heat: {migrations: ['ffff00001111']}})

  beforeAll(async () => {
    const pods = await podsOf('heat')
    const from = pods.map(({spec}) => spec.containers[0]!.image).find((each) => each.includes('/heat-api:'))
    broken = await plantedImage(from!, async (root) => {
      const [versions] = globSync(join(root, '{usr,var}/lib/**/heat/db/migrations/versions'))
      await writeFile(join(versions!, 'ffff_drop.py'), MIGRATION)
    })
  })

  it('is refused before the first change, unless the migration is accepted', async () => {
    const before = await podsOf('heat')

    const upgraded = await onCloud(['upgrade', await fileWith({}), 'heat', '--yes'])
    const planned = await onCloud(['plan', await accepted(), 'heat', '--upgrade-checks'])

    expect(upgraded.exitCode, `${upgraded.stdout}\n${upgraded.stderr}`).toBe(3)
    expect(upgraded.stderr).toMatch(
      /migration ffff00001111 of heat drops the column owner_id of stack \(\d+ rows, \d+ MB\)/,
    )
    expect(uids(await podsOf('heat'))).toEqual(uids(before))
    expect(planned.exitCode, planned.stderr).toBe(0)
    expect(planned.stderr).toContain('note: migration ffff00001111 of heat drops the column')
  })

  it('is refused while a service reports that it is not healthy', async () => {
    const engines = ['--namespace', NAMESPACE, 'deployment/heat-engine']
    const replicas = await kubectl(['get', ...engines, '--output', 'jsonpath={.spec.replicas}'])
    const file = await accepted()

    await kubectl(['scale', ...engines, '--replicas=0'])
    await waitFor(
      async () => (await onCloud(['status', file, 'heat'])).stdout.includes('heat-engine: 0 of'),
      {
        until: 'heat reports that it has no engine',
      },
    )
    const planned = await onCloud(['plan', file, 'heat', '--upgrade-checks']).finally(() =>
      kubectl(['scale', ...engines, `--replicas=${replicas}`]),
    )

    expect(planned.exitCode, planned.stderr).toBe(3)
    expect(planned.stderr).toMatch(/openstack\/heat reports that it is not healthy: heat-engine: 0 of \d+ up/)
  })
})
