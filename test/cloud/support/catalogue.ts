import {join} from 'node:path'
import {expect} from 'vitest'
import {mergeValues} from '../../../src/base/merge.ts'
import type {Values} from '../../../src/base/values.ts'
import {readImages} from '../../../src/images/inventory/read-images.ts'
import {cloudUp, type Pod, podsOf, succeed} from './cloud.ts'
import {changedEnvironment} from './environment.ts'
import {pushImages, ROOT} from './images.ts'
import {phase} from './phase.ts'
import {inBoth, NEXT, tagsOf} from './upgrade.ts'

export const CATALOGUE = join(ROOT, 'environments/catalogue.yaml')

/**
 * The cloud, and beside it these services of `environments/catalogue.yaml`, whose own tests pass; those that
 * are there stay.
 */
export async function servicesUp(names: readonly string[], values: Values = {}): Promise<void> {
  await cloudUp()
  await pushImages(...(await imagesOf(names)))
  const file = await changedEnvironment({of: CATALOGUE, only: names, values})
  await phase(`${names.join(', ')} deployed`, () => succeed(['deploy', file, '--yes']))
  await phase('their own tests', () => succeed(['test', file, ...names]))
}

/**
 * Takes services that are up to the next release of OpenStack, by whose images alone they run then; resolves
 * with the file that says so.
 */
export async function servicesNext(names: readonly string[], values: Values = {}): Promise<string> {
  await pushImages(...inBoth(...(await imagesOf(names))))
  const file = await changedEnvironment({
    of: CATALOGUE,
    only: names,
    values: mergeValues(values, {kk: {features: ['2026.1']}}),
  })
  await phase(`${names.join(', ')} upgraded`, () => succeed(['upgrade', file, ...names, '--yes']))
  const pods = (await Promise.all(names.map((name) => podsOf(name)))).flat().filter(isKept)
  expect(tagsOf(pods)).toEqual([NEXT])
  await phase('their own tests', () => succeed(['test', file, ...names]))
  return file
}

/** Whether something sees to it that the pod goes on, on each node or anywhere. */
function isKept({metadata}: Pod): boolean {
  const isOfController = metadata.ownerReferences?.some(({kind}) => kind !== 'Job') ?? false
  return isOfController && metadata.deletionTimestamp === undefined
}

/** The images of the default release that these services run on, by their places in `images.tags`. */
export async function imagesOf(names: readonly string[]): Promise<readonly string[]> {
  const images = await readImages(join(ROOT, 'images'))
  const {tag} = images.find(({name}) => name === 'base')!
  const ofService = (chart = '') => names.some((name) => chart === name || chart.startsWith(`${name}_`))
  return images.filter((image) => image.tag === tag && ofService(image.chart)).map(({name}) => name)
}

/**
 * What a Python program prints in the client's pod, with a `session` of the administrator and `where(TYPE)`
 * for its questions.
 */
export function python(program: string): string {
  return `python3 - <<'PYTHON'
import time

import openstack

session = openstack.connect().session


def where(kind):
    return {"endpoint_filter": {"service_type": kind, "interface": "internal"}}


def wait(question, seconds=600):
    """What the question answers as soon as that is true."""
    end = time.time() + seconds
    while not (answer := question()):
        assert time.time() < end, "it took too long"
        time.sleep(5)
    return answer


${dedent(program)}
PYTHON`
}

/** A program without the indentation of the test around it. */
export function dedent(program: string): string {
  const [, indentation = ''] = /^\n( *)/.exec(program) ?? []
  return program.replaceAll(`\n${indentation}`, '\n').trim()
}
