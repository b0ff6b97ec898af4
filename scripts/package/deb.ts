import {createHash} from 'node:crypto'
import {ar, type Entry, gzipped, tar, textEntry} from './archive.ts'
import {contents, serviceFiles} from './contents.ts'
import {type Architecture, OTHER_NAMES, type Release} from './release.ts'

const CONFIGURATION = 'etc/default/kk-serve'

/** The libraries of the Node inside kk, from the oldest Debian that has all of them. */
const DEPENDS = ['libatomic1', 'libc6 (>= 2.28)', 'libgcc-s1', 'libstdc++6 (>= 9)']

/** Returns a Debian package. It starts nothing: an administrator enables the service. */
export async function debPackage(kk: Buffer, arch: Architecture, release: Release): Promise<Buffer> {
  const {unit, defaults} = serviceFiles()
  const inUsr = await contents(kk, 'deb', release)
  const files: readonly Entry[] = [
    ...inUsr.map((entry) => ({...entry, path: `usr/${entry.path}`})),
    {path: 'usr/lib/systemd/system/kk-serve.service', content: unit},
    // It may contain a token.
    {path: CONFIGURATION, mode: 0o640, content: defaults},
  ]
  const control = [
    textEntry('conffiles', `/${CONFIGURATION}\n`),
    textEntry('control', controlOf(files, arch, release)),
    textEntry('md5sums', files.map(md5Line).join('')),
  ]
  const {date} = release
  return ar(
    [
      ['debian-binary', Buffer.from('2.0\n')],
      ['control.tar.gz', await gzipped(await tar(control, {time: date, start: './'}))],
      ['data.tar.gz', await gzipped(await tar(files, {time: date, start: './'}))],
    ],
    date,
  )
}

function controlOf(files: readonly Entry[], arch: Architecture, {version}: Release): string {
  const kibibytes = files.map(({content}) => ('linkTo' in content ? 1 : Math.ceil(content.length / 1024)))
  return `Package: kk
Version: ${version}
Architecture: ${OTHER_NAMES[arch]}
Maintainer: The authors of kk
Installed-Size: ${kibibytes.reduce((sum, size) => sum + size, 0)}
Depends: ${DEPENDS.join(', ')}
Suggests: helm, kubectl
Section: admin
Priority: optional
Description: deploys and runs OpenStack on Kubernetes
 One YAML file says which services a cloud has. kk works out which service needs
 which, and runs helm for each of them in that order, one chart per service.
 .
 helm is needed beside it: 3.17 or newer, or 4.
`
}

function md5Line({path, content}: Entry): string {
  if ('linkTo' in content) return ''
  return `${createHash('md5').update(content).digest('hex')}  ${path}\n`
}
