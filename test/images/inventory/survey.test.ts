import {appendFile, cp} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {withParents} from '../../../src/images/inventory/choose-images.ts'
import {readImages} from '../../../src/images/inventory/read-images.ts'
import {writeRecord} from '../../../src/images/inventory/record.ts'
import {surveyImages} from '../../../src/images/inventory/survey.ts'
import {testDirectory} from '../../support/test-directory.ts'

let directory: string
beforeAll(async () => {
  directory = testDirectory()
  await cp(join(import.meta.dirname, '../../../images'), join(directory, 'images'), {recursive: true})
})

/** What decides the programs that images carry. */
const PROGRAMS = {kk: 'the sources of kk', helm: 'the bytes of helm'}

/** The state of each image when all were built from what is there now, and `change` happened then. */
async function statesAfter(
  change: () => Promise<void>,
  present = (name: string) => name !== 'nothing',
  now: Readonly<Record<string, string>> = PROGRAMS,
) {
  const cache = testDirectory()
  let carried: Readonly<Record<string, string>> = PROGRAMS
  const look = async () => {
    const images = await readImages(join(directory, 'images'))
    const ids = new Set(images.map(({name}) => name).filter(present))
    return surveyImages(images, {cache, carried, present: ids})
  }
  for (const {image, inputs} of await look())
    await writeRecord(cache, image.name, {
      inputs,
      id: image.name,
      version: '1',
      built: '2026-01-01T00:00:00Z',
      packages: 1,
      carried,
      pushed: {},
    })
  await change()
  carried = now
  const states = (await look()).map(({image, state}) => [image.name, state] as const)
  return (wanted: string) => states.filter(([, state]) => state === wanted).map(([name]) => name)
}

describe('the state of images', () => {
  it('is current if nothing has changed', async () => {
    const named = await statesAfter(async () => {})

    expect(named('current')).toContain('keystone')
    expect([...named('absent'), ...named('outdated')]).toEqual([])
  })

  it('becomes outdated after a change of a Containerfile, as does that of images based on it', async () => {
    const named = await statesAfter(() =>
      appendFile(join(directory, 'images/openstack-base/Containerfile'), '# another line\n'),
    )

    const images = await readImages(join(directory, 'images'))
    const standing = images.filter((image) =>
      withParents(images, [image]).some(({name}) => name === 'openstack-base'),
    )
    expect(named('outdated')).toEqual(standing.map(({name}) => name))
    expect(named('outdated')).toEqual(
      expect.arrayContaining(['openstack-base', 'keystone', 'glance-api', 'toolbox']),
    )
    expect(named('current')).toEqual(expect.arrayContaining(['base', 'mariadb-server', 'kk']))
  })

  it('is absent if buildah no longer has the image', async () => {
    const named = await statesAfter(
      async () => {},
      (name) => name !== 'rabbitmq',
    )

    expect(named('absent')).toEqual(['rabbitmq'])
  })

  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['other sources of kk', {...PROGRAMS, kk: 'changed'}, ['kk', 'kolla-builder']],
    ['a machine without helm', {kk: PROGRAMS.kk}, []],
  ])('%s makes images that contain it outdated', async (_, now, outdated) => {
    const named = await statesAfter(
      async () => {},
      () => true,
      now,
    )

    expect(named('outdated')).toEqual(outdated)
  })
})
