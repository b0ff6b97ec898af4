import {hash} from 'node:crypto'
import {KkError} from '../../../src/errors.ts'
import {applyUpdate} from '../../../src/overrides/apply-update.ts'
import {blockYaml, systemYaml} from '../../../src/overrides/format/overrides-yaml.ts'
import {mergeValues} from '../../../src/overrides/merge.ts'
import type {OverrideService} from '../../../src/overrides/service.ts'
import type {Values} from '../../../src/release.ts'

/** The overrides of rabbitmq in openstack and of ingress in two namespaces, kept in memory. */
export function memoryService(): OverrideService {
  const system: Readonly<Record<string, Values>> = {
    'rabbitmq/openstack': {pod: {replicas: {server: 1}}},
    'ingress/openstack': {},
    'ingress/kube-system': {},
  }
  const stored = new Map<string, Values>()
  const key = (name: string, namespace: string) => {
    const found = `${name}/${namespace}`
    if (found in system) return found
    const code = `rabbitmq/${namespace}` in system ? 'KK_UNKNOWN_CHART' : 'KK_UNKNOWN_NAMESPACE'
    throw new KkError(code, `no overrides of ${name}`, {hint: 'did you mean rabbitmq?'})
  }
  const etagOf = (place: string) => hash('sha256', blockYaml(stored.get(place) ?? {}))
  const expect = (place: string, ifMatch: string | undefined) => {
    if (ifMatch === undefined || ifMatch === etagOf(place)) return
    throw new KkError('KK_STORE_CONFLICT', 'somebody else was faster', {hint: 'look again'})
  }
  return {
    charts: async () => [
      {name: 'ingress', namespaces: ['kube-system', 'openstack']},
      {name: 'rabbitmq', namespaces: ['openstack']},
    ],
    async show(name, namespace) {
      const place = key(name, namespace)
      const user = stored.get(place) ?? {}
      const generated = system[place]!
      return {
        name,
        namespace,
        systemOverrides: systemYaml(generated),
        userOverrides: blockYaml(user),
        combinedOverrides: blockYaml(mergeValues(generated, user)),
        etag: etagOf(place),
      }
    },
    async update(name, namespace, {ifMatch, ...change}) {
      const place = key(name, namespace)
      expect(place, ifMatch)
      stored.set(place, applyUpdate(stored.get(place) ?? {}, change))
      return {name, namespace, userOverrides: blockYaml(stored.get(place)!), etag: etagOf(place)}
    },
    async delete(name, namespace, {ifMatch} = {}) {
      const place = key(name, namespace)
      expect(place, ifMatch)
      stored.delete(place)
    },
  }
}
