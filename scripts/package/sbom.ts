import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Metafile} from 'esbuild'
import {bundledPackages} from '../license-notices.ts'
import type {DebianPackage} from './debian.ts'
import type {GoModule} from './helm-for.ts'
import type {Release} from './release.ts'

interface Lock {
  readonly packages: Readonly<Record<string, {readonly integrity?: string}>>
}

interface Component {
  readonly name: string
  readonly version: string
  readonly [key: string]: unknown
}

interface Parts {
  readonly bundles: Iterable<Metafile>
  /** What only the images have: Debian packages, and helm with its modules. */
  readonly debian: readonly DebianPackage[]
  readonly modules: readonly GoModule[]
}

/**
 * Returns the components of the packages, as CycloneDX 1.6: those of the bundles, Node, and what only images
 * have.
 */
export function sbom(
  root: string,
  {bundles, debian, modules}: Parts,
  {version, date, commit}: Release,
): string {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const packages = bundledPackages(bundles).map((path) => npmComponent(root, path, lock))
  const node = {
    type: 'platform',
    name: 'node',
    version: process.versions.node,
    licenses: [{license: {id: 'MIT'}}],
    purl: `pkg:generic/node@${process.versions.node}`,
  }
  const components: readonly Component[] = [...packages, node, ...debian.map(ofDebian), ...modules.map(ofGo)]
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

function ofDebian({name, version}: DebianPackage): Component {
  return {type: 'library', name, version, purl: `pkg:deb/debian/${encodeURIComponent(name)}@${version}`}
}

function ofGo({path, version}: GoModule): Component {
  return {type: 'library', name: path, version, purl: `pkg:golang/${path}@${version}`}
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
