import {chmod, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {useCharts} from './support/charts.ts'
import {find} from './support/objects.ts'

const charts = await useCharts()
const script = find(await charts.render('libvirt'), 'ConfigMap', 'libvirt-bin').data!['virt-type.sh']!

interface Node {
  /** What the emulator prints in place of a guest, and for how long. */
  readonly qemu?: string
  /** In the place of /dev/kvm. */
  readonly device?: string
  readonly known?: string
  /** Whether the image has the kernel of the test guest. */
  readonly hasKernel?: boolean
}

/** What a node finds out, by a program that stands in for the emulator; 30 seconds are one here. */
async function found({
  qemu = 'exit 1',
  device = '/dev/null',
  known,
  hasKernel = true,
}: Node): Promise<string> {
  const directory = testDirectory()
  const emulator = join(directory, 'qemu-system-x86_64')
  await writeFile(emulator, `#!/bin/bash\n${qemu}\n`)
  await chmod(emulator, 0o755)
  const result = join(directory, 'virt-type')
  if (known !== undefined) await writeFile(result, known)
  if (hasKernel) await writeFile(join(directory, 'vmlinuz'), '')
  const here = script
    .replaceAll('/dev/kvm', device)
    .replace('RESULT=/run/libvirt/virt-type', `RESULT=${result}`)
    .replace('GUEST=/usr/share/kk/guest', `GUEST=${directory}`)
    .replace('timeout 30 ', 'timeout 1 ')
  await execa('bash', ['-c', here], {env: {PATH: `${directory}:${process.env['PATH']}`}})
  return (await readFile(result, 'utf8')).trim()
}

describe('the virtualization type of guests on a node', () => {
  it.each<[string, string, Node]>([
    ['kvm', 'a test guest with KVM starts its userland', {qemu: 'echo "userland reached"; sleep 60'}],
    ['qemu', 'a test guest with KVM starts only its firmware', {qemu: 'echo "SeaBIOS"; sleep 60'}],
    ['qemu', 'the emulator fails', {qemu: 'echo "failed to set MSR" >&2; exit 134'}],
    ['qemu', 'the device does not exist', {qemu: 'echo "userland reached"', device: '/nowhere/kvm'}],
    ['kvm', 'the image has no test guest', {qemu: 'exit 1', hasKernel: false}],
    [
      'qemu',
      'the image has no test guest, and the node no device',
      {hasKernel: false, device: '/nowhere/kvm'},
    ],
    ['kvm', 'an earlier pod has stored this result', {qemu: 'exit 1', known: 'kvm\n'}],
  ])('is %s if %s', async (expected, _, node) => {
    expect(await found(node)).toBe(expected)
  })
})
