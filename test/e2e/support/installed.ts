import {gunzipSync} from 'node:zlib'
import {get} from './cluster.ts'

/** A release as helm's record holds it, as far as it does not differ from one installation to the next. */
export interface Installed {
  readonly name: string
  readonly status: string
  readonly chart: string
  readonly templates: Readonly<Record<string, string>>
  readonly values: unknown
  readonly manifest: string
  readonly hooks: readonly string[]
}

interface HelmRelease {
  readonly name: string
  readonly info: {readonly status: string}
  readonly chart: {
    readonly metadata: {readonly name: string; readonly version: string}
    readonly templates: readonly {readonly name: string; readonly data: string}[]
  }
  readonly config?: unknown
  readonly manifest: string
  readonly hooks?: readonly {readonly manifest: string}[]
}

/** Returns the releases of a namespace by name; where they name the namespace, they say NAMESPACE. */
export async function installedIn(namespace: string): Promise<readonly Installed[]> {
  const {items} = await get<{items: {data: {release: string}}[]}>(
    ...['secrets', '--namespace', namespace, '--selector', 'owner=helm'],
  )
  const releases = items.map(({data: {release}}) => {
    const packed = Buffer.from(Buffer.from(release, 'base64').toString(), 'base64')
    const text = gunzipSync(packed).toString().replaceAll(namespace, 'NAMESPACE')
    return installed(JSON.parse(text) as HelmRelease)
  })
  return releases.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function installed({name, info, chart, config, manifest, hooks = []}: HelmRelease): Installed {
  return {
    name,
    status: info.status,
    chart: `${chart.metadata.name}-${chart.metadata.version}`,
    templates: Object.fromEntries(chart.templates.map((each) => [each.name, each.data])),
    values: config ?? {},
    manifest,
    hooks: hooks.map((hook) => hook.manifest),
  }
}
