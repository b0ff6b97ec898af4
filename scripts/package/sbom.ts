import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Metafile} from 'esbuild'
import {bundledPackages} from '../license-notices.ts'
import type {Release} from './release.ts'

interface Lock {
  readonly packages: Readonly<Record<string, {readonly integrity?: string}>>
}

interface Component {
  readonly name: string
  readonly version: string
  readonly [key: string]: unknown
}

/** Returns what the executable is made of, as CycloneDX 1.6: the packages that the bundles contain, and Node. */
export function sbom(root: string, bundles: Iterable<Metafile>, {version, date, commit}: Release): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const packages = bundledPackages(bundles).map((path) => npmComponent(root, path, lock))
  const node = {
    type: 'platform',
    name: 'node',
    version: process.versions.node,
    licenses: [{license: {id: 'MIT'}}],
    purl: `pkg:generic/node@${process.versions.node}`,
  }
  const components: readonly Component[] = [...packages, node]
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: date.toISOString(),
      component: {
        type: 'application',
        'bom-ref': 'kk',
        name: 'kk',
        version,
        licenses: [{license: {id: 'Apache-2.0'}}],
        ...(commit !== null && {properties: [{name: 'kk:commit', value: commit}]}),
      },
    },
    components: components.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)),
  }
  return `${JSON.stringify(document, undefined, 1)}\n`
}

function key({name, version}: Component): string {
  return `${name}@${version}`
}

function npmComponent(root: string, path: string, {packages}: Lock): Component {
  const stated = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly version: string
    readonly license?: string
  }
  const {name, version, license} = stated
  const [algorithm = '', base64 = ''] = packages[path]?.integrity?.split('-') ?? []
  return {
    type: 'library',
    name,
    version,
    ...(license !== undefined && {licenses: [{expression: license}]}),
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(algorithm === 'sha512' && {
      hashes: [{alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex')}],
    }),
  }
}
