import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Metafile} from 'esbuild'

/** The packages that the bundles contain, by their paths in the root: `node_modules/execa`. */
export function bundledPackages(bundles: Iterable<Metafile>): readonly string[] {
  const packages = new Set<string>()
  for (const input of [...bundles].flatMap((bundle) => Object.keys(bundle.inputs))) {
    const found = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]
    if (found) packages.add(found.slice(found.indexOf('node_modules/')))
  }
  return [...packages].sort()
}

/** The licence notices of kk, of Node and of every package that the bundles contain. */
export function licenseNotices(root: string, bundles: readonly Metafile[]): string {
  const notices = bundledPackages(bundles).map((path) => packageNotice(join(root, path)))
  return [
    notice('kk', 'Apache-2.0', readFileSync(join(root, 'LICENSE'), 'utf8')),
    nodeNotice(),
    ...notices,
  ].join('\n')
}

function packageNotice(directory: string): string {
  const {name, version, license} = JSON.parse(
    readFileSync(join(directory, 'package.json'), 'utf8'),
  ) as Record<string, string>
  return notice(`${name} ${version}`, license ?? 'see below', licenseText(directory, `${name}`))
}

/** Packages without a license file have it in `scripts/licenses/`. Throws for one that has none. */
function licenseText(directory: string, name: string): string {
  const own = readdirSync(directory).find((each) => /^(licen[cs]e|copying)/i.test(each))
  if (own !== undefined) return readFileSync(join(directory, own), 'utf8')
  return readFileSync(join(import.meta.dirname, 'licenses', `${name.replace('/', '-')}.txt`), 'utf8')
}

function nodeNotice(): string {
  const candidates = [
    join(process.execPath, '../../LICENSE'),
    join(process.execPath, '../../share/doc/nodejs/LICENSE'),
  ]
  const file = candidates.find((each) => existsSync(each))
  return notice(
    `Node.js ${process.version}`,
    'MIT and others',
    file === undefined ? 'https://github.com/nodejs/node/blob/main/LICENSE' : readFileSync(file, 'utf8'),
  )
}

function notice(title: string, license: string, text: string): string {
  return `${'='.repeat(80)}\n${title} (${license})\n${'='.repeat(80)}\n${text.trim()}\n`
}
