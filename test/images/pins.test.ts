import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {wantedOfPyPI} from '../../scripts/pins.ts'
import {readImages} from '../../src/images/inventory/read-images.ts'

const IMAGES = join(import.meta.dirname, '../../images')
const RELEASE = '2026.1'
const wanted = await wantedOfPyPI(await readImages(IMAGES), RELEASE)
const pins = await readFile(join(IMAGES, `pypi-base/pins/${RELEASE}.txt`), 'utf8')

/** The pinned versions of some packages and of all that they need, as an image installs them. */
async function chosen(...names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const {stdout} = await execa('python3', [join(IMAGES, 'pypi-base/install-pins'), '--list', ...names], {
    input: pins,
  })
  return new Map([...stdout.matchAll(/^(\S+)==(\S+)/gm)].map(([, name, version]) => [name!, version!]))
}

describe(`the packages of ${RELEASE} from PyPI`, () => {
  it('are pinned exactly as listed by the images', async () => {
    const all = [...pins.matchAll(/^(\S+)==/gm)].map(([, name]) => name!)

    const installed = await chosen(...wanted)

    expect([...installed.keys()].sort()).toEqual(all.sort())
  })

  it('have a hash each', () => {
    const [, ...each] = pins.split(/^(?=\S+==)/m)

    for (const pin of each) expect(pin).toContain('--hash=sha256:')
  })

  it('are installed into an image only if it requires them', async () => {
    const keystone = await chosen('keystone~=29.0')

    expect(keystone.get('keystone')).toMatch(/^29\./)
    expect([...keystone.keys()]).toEqual(expect.arrayContaining(['oslo-policy', 'sqlalchemy', 'greenlet']))
    expect([...keystone.keys()]).not.toContain('nova')
  })

  it('without a pin are reported', async () => {
    await expect(chosen('trove')).rejects.toThrow('there is no pin of trove: run npm run pins')
  })
})
