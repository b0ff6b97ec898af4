import {get} from './cluster.ts'

/** A revision of a release, as helm's Secret says it. */
export interface HelmRecord {
  readonly name: string
  readonly revision: number
  readonly status: string
  readonly labels: Readonly<Record<string, string>>
}

interface Secrets {
  readonly items: readonly {readonly metadata: {readonly labels: Readonly<Record<string, string>>}}[]
}

/** Every revision of every release in a namespace. */
export async function helmRecords(namespace: string): Promise<HelmRecord[]> {
  const {items} = await get<Secrets>('secrets', '--namespace', namespace, '--selector', 'owner=helm')
  return items.map(({metadata: {labels}}) => ({
    name: labels.name!,
    revision: Number(labels.version),
    status: labels.status!,
    labels,
  }))
}

/** The last revision of each release in a namespace, by name. */
export async function revisions(namespace: string): Promise<Record<string, number>> {
  const last: Record<string, number> = {}
  for (const {name, revision} of await helmRecords(namespace)) {
    last[name] = Math.max(last[name] ?? 0, revision)
  }
  return last
}
