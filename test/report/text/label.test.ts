import {expect, it} from 'vitest'
import {releaseLabels} from '../../../src/report/text/label.ts'

it('a release is labelled by its name, and by its namespace if two share a name', () => {
  const labels = releaseLabels(['openstack/ingress', 'kube-system/ingress', 'openstack/mariadb'])

  expect(labels('openstack/ingress')).toBe('openstack/ingress')
  expect(labels('kube-system/ingress')).toBe('kube-system/ingress')
  expect(labels('openstack/mariadb')).toBe('mariadb')
})
