import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {completionScript} from '../../src/cli/completion/completion.ts'
import {commandsOf} from '../../src/cli/reference.ts'
import {table} from '../../src/table.js'
import {permissionFiles} from '../docs/permission-roles.ts'
import {type Entry, gzipped, textEntry} from './archive.ts'
import {manPages} from './man-pages.ts'
import type {Release} from './release.ts'

const ROOT = join(import.meta.dirname, '../..')
const FILES = join(import.meta.dirname, 'files')

/** The kind of package: `kk version` reads it next to its directory. */
export type PackageForm = 'tarball' | 'deb' | 'image'

/** The contents of every package below `/usr`, or below the directory where it is unpacked. */
export async function contents(kk: Buffer, form: PackageForm, release: Release): Promise<readonly Entry[]> {
  const pages = await Promise.all(
    manPages(release).map(async ({file, text}) => ({
      path: `share/man/man${file.at(-1)}/${file}.gz`,
      content: await gzipped(Buffer.from(text)),
    })),
  )
  return [
    {path: 'bin/kk', mode: 0o755, content: kk},
    ...pages,
    textEntry('share/bash-completion/completions/kk', completionScript('bash', commandsOf(table))),
    textEntry('share/zsh/vendor-completions/_kk', completionScript('zsh', commandsOf(table))),
    textEntry('share/fish/vendor_completions.d/kk.fish', completionScript('fish', commandsOf(table))),
    textEntry('share/doc/kk/copyright', release.licenses),
    {path: 'share/doc/kk/changelog.gz', content: await gzipped(readFileSync(join(ROOT, 'CHANGELOG.md')))},
    ...permissionFiles().map(({name, text}) => textEntry(`share/doc/kk/permissions/${name}`, text)),
    textEntry('share/kk/package', `${form}\n`),
  ]
}

/** The unit of `kk serve`, and its configuration for the administrator. */
export function serviceFiles(): {readonly unit: Buffer; readonly defaults: Buffer} {
  const file = (name: string) => readFileSync(join(FILES, name))
  return {unit: file('kk-serve.service'), defaults: file('kk-serve.default')}
}
