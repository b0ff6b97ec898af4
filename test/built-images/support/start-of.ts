import {
  find,
  type KubernetesObject,
  type PodSpec,
  type Container as Unit,
} from '../../own-charts/support/objects.ts'

interface Start {
  readonly image: string
  readonly files: Readonly<Record<string, string>>
}

/** What a container that starts as kolla's do finds in its directory of configuration. */
export function startOf(objects: readonly KubernetesObject[], {volumes = []}: PodSpec, {image}: Unit): Start {
  const sources = volumes.find(({name}) => name === 'config')?.projected?.sources ?? []
  const files = sources.flatMap(({configMap, secret}) => {
    const source = (configMap ?? secret)!
    const {data = {}} = find(objects, configMap ? 'ConfigMap' : 'Secret', source.name)
    return source.items.map(({key, path}) => {
      const text = configMap ? data[key]! : Buffer.from(data[key]!, 'base64').toString()
      return [path, text] as const
    })
  })
  return {image: /([^/]+):[^:]+$/.exec(image)![1]!, files: Object.fromEntries(files)}
}
