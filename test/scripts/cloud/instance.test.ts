import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'

const PROGRAM = join(import.meta.dirname, '../../../scripts/cloud/instance.py')

/** What the program has done in a cloud where these are the statuses of its image and its volume. */
async function doneWhere(image: string, volume: string): Promise<string> {
  const cloud = `
import sys, types
from unittest.mock import MagicMock
cloud, sys.modules["openstack"] = MagicMock(), types.ModuleType("openstack")
sys.modules["openstack"].connect = lambda: cloud
cloud.get_image.return_value = MagicMock(id="image", status="${image}")
cloud.get_volume.return_value = MagicMock(id="volume", status="${volume}")
cloud.network.ports.return_value = [MagicMock()]
`
  const done = `
calls = cloud.delete_image, cloud.create_image, cloud.delete_volume, cloud.create_volume
print(*[call._mock_name for call in calls if call.called])`
  const {stdout} = await execa('python3', ['-c', cloud + (await readFile(PROGRAM, 'utf8')) + done, 'key'])
  return stdout.split('\n').at(-1)!
}

it.each([
  ['active', 'in-use', ''],
  ['active', 'available', ''],
  ['saving', 'in-use', 'delete_image create_image'],
  ['active', 'error', 'delete_volume create_volume'],
])(
  'an image that is %s and a volume that is %s are created again if incomplete',
  async (image, volume, done) => {
    expect(await doneWhere(image, volume)).toBe(done)
  },
)
