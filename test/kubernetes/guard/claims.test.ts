import {describe, expect, it} from 'vitest'
import {claimsOf, type ObjectMetadata, releaseOfClaim} from '../../../src/kubernetes/guard/claims.ts'

function metadata(name: string, more: Partial<ObjectMetadata> = {}): ObjectMetadata {
  return {name, namespace: 'openstack', uid: 'b3a1', ...more}
}

const CLAIMS = new Map([['openstack/data-mariadb-server', 'openstack/mariadb']] as const)
const ANNOTATED = {
  'meta.helm.sh/release-name': 'backup',
  'meta.helm.sh/release-namespace': 'openstack',
}

it('a StatefulSet creates a claim of each template', () => {
  const templates = ['data', 'log'].map((name) => ({metadata: {name}}))

  const claims = claimsOf({metadata: metadata('mariadb-server'), spec: {volumeClaimTemplates: templates}})

  expect(claims).toEqual(['openstack/data-mariadb-server', 'openstack/log-mariadb-server'])
})

describe('a claim belongs to the release', () => {
  it.each([
    ['that made its StatefulSet', metadata('data-mariadb-server-0'), 'openstack/mariadb'],
    [
      'that its label names',
      metadata('copy', {labels: {'app.kubernetes.io/instance': 'mariadb'}}),
      'openstack/mariadb',
    ],
    [
      'that helm says, whatever its name',
      metadata('data-mariadb-server-0', {annotations: ANNOTATED}),
      'openstack/backup',
    ],
    ['of nobody: no ordinal', metadata('data-mariadb-server'), undefined],
    ['of nobody: another namespace', metadata('data-mariadb-server-0', {namespace: 'other'}), undefined],
  ])('%s', (_, claim, release) => {
    expect(releaseOfClaim(claim, {claims: CLAIMS})).toBe(release)
  })
})
