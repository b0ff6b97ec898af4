import {expect, test} from 'vitest'
import {openstackRelease, releaseText} from '../../../src/plan/versions/openstack-release.ts'
import {transition} from '../../../src/plan/versions/unsupported.ts'

test.each([
  ['2025.1', '2025.1', 'same'],
  ['2024.1', '2024.2', 'supported'],
  ['2024.2', '2025.1', 'supported'],
  ['2022.2', '2023.1', 'supported'],
  ['2023.1', '2024.1', 'supported'],
  ['2025.1', '2026.1', 'supported'],
  ['2025.2', '2025.1', 'downgrade'],
  ['2026.1', '2024.1', 'downgrade'],
  ['2024.2', '2025.2', 'skip through 2025.1'],
  ['2022.1', '2023.1', 'skip through 2022.2'],
  ['2023.1', '2024.2', 'skip through 2024.1'],
  ['2023.1', '2025.1', 'skip through 2024.1'],
  ['2023.2', '2025.2', 'skip through 2024.1, 2025.1'],
  ['2022.1', '2026.1', 'skip through 2022.2, 2023.1, 2024.1, 2025.1'],
])('from %s to %s: %s', (from, to, expected) => {
  const found = transition(openstackRelease(from)!, openstackRelease(to)!)

  const through = found.kind === 'skip' ? ` through ${found.through.map(releaseText).join(', ')}` : ''
  expect(found.kind + through).toBe(expected)
})
