import {join} from 'node:path'
import {expect} from 'vitest'
import {deployedImages} from '../../../scripts/cloud/images.ts'
import {once} from '../../../src/base/once.ts'
import type {Values} from '../../../src/base/values.ts'
import {readImages} from '../../../src/images/inventory/read-images.ts'
import {onCloud, podsOf, serving} from './cloud.ts'
import {CLOUD, changedEnvironment, releasesOf} from './environment.ts'
import {pushImages, ROOT} from './images.ts'
import {bootOf, machine} from './machines.ts'
import {phase} from './phase.ts'
import {NEXT, tagsOf} from './upgrade.ts'

/**
 * The feature of the next release of OpenStack, if the tests of a cloud run at that: `npm run test:aio --
 * --slurp`.
 */
const FEATURE = process.env['KK_TEST_OPENSTACK']

export const isAtNextRelease = FEATURE !== undefined

/** The settings of an environment at that release. */
export function nextFeatures(): Values {
  return FEATURE === undefined ? {} : {features: [FEATURE]}
}

/** The environment that the cloud of the tests was deployed with. */
export async function cloudFile(): Promise<string> {
  return FEATURE === undefined ? CLOUD : changedEnvironment({values: {kk: nextFeatures()}})
}

/** The names of the images of the next release that the cloud runs on. */
async function nextImages(): Promise<readonly string[]> {
  const known = new Set((await readImages(join(ROOT, 'images'))).map(({name}) => name))
  return (await deployedImages()).map(({name}) => `${name}-${FEATURE}`).filter((name) => known.has(name))
}

/** Brings the images of the next release to the node, once. */
export const pushNextImages = once(async () => {
  await pushImages(...(await nextImages()))
})

/** Whether the cloud was upgraded before, as far as it went. */
export async function isUpgraded(): Promise<boolean> {
  return tagsOf(await serving('keystone')).includes(NEXT)
}

/** Upgrades the whole cloud by one command, with a virtual machine on it, which goes on as it was. */
export async function upgradeCloud(): Promise<void> {
  await pushNextImages()
  const first = await machine()
  const boot = await bootOf(first)

  await phase('cloud upgraded', async () => {
    const run = onCloud(['upgrade', await cloudFile(), '--yes'])
    run.stdout.pipe(process.stderr)
    run.stderr.pipe(process.stderr)
    expect((await run).exitCode).toBe(0)
  })

  for (const release of await releasesOf(CLOUD)) await expectNextRelease(release)
  expect(await bootOf(first)).toBe(boot)
}

/**
 * The pods that keep `kubectl drain` from a node: a drain that waits for one would take its successor for
 * none.
 */
const NEVER_REPLACED = 'node-in-use'

/** Expects that all pods of a release of OpenStack that go on running are of images of the next release. */
async function expectNextRelease(release: string): Promise<void> {
  const known = await readImages(join(ROOT, 'images'))
  if (!known.some(({name, chart}) => chart === release && name.endsWith(`-${FEATURE}`))) return
  const pods = (await podsOf(release)).filter(
    ({metadata}) =>
      metadata.deletionTimestamp === undefined &&
      metadata.labels['app.kubernetes.io/component'] !== NEVER_REPLACED &&
      metadata.ownerReferences?.some(({kind}) => kind !== 'Job' && kind !== 'CronJob'),
  )
  expect(tagsOf(pods), release).toEqual([NEXT])
}
