import {expect, test} from 'vitest'
import {openstackRelease, releaseOfImage, releaseText} from '../../../src/plan/versions/openstack-release.ts'

const text = (release: ReturnType<typeof openstackRelease>) => release && releaseText(release)

test.each([
  ['2025.1', '2025.1'],
  ['2025.1-ubuntu-noble', '2025.1'],
  ['2024.2-ubuntu_jammy', '2024.2'],
  ['2025.2-debian-bookworm-20251101', '2025.2'],
  ['stable-2024.1', '2024.1'],
  ['v2025.1.3', '2025.1'],
  ['zed', '2022.2'],
  ['antelope-ubuntu_jammy', '2023.1'],
  ['bobcat', '2023.2'],
  ['caracal', '2024.1'],
  ['ubuntu-dalmatian', '2024.2'],
  ['Epoxy', '2025.1'],
  ['flamingo', '2025.2'],
  ['gazpacho', '2026.1'],
  ['master-ubuntu-noble', undefined],
  ['rocky-9', undefined],
  ['1.6.39', undefined],
  ['2025.3', undefined],
  ['20250101', undefined],
  ['12025.1', undefined],
  ['', undefined],
])('%s names %s', (version, release) => {
  expect(text(openstackRelease(version))).toBe(release)
})

test.each([
  ['quay.io/openstack.kolla/keystone:2025.1-ubuntu-noble', '2025.1'],
  ['registry:5000/2024.1/keystone:master', undefined],
  ['registry:5000/caracal/keystone', undefined],
  ['keystone:2025.1@sha256:0123', '2025.1'],
  ['keystone@sha256:2025', undefined],
])('the image %s is of %s', (reference, release) => {
  expect(text(releaseOfImage(reference))).toBe(release)
})
