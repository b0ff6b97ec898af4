/**
 * Writes `test/fixtures/kolla/images.txt`: the images that kolla builds, with the user of each, from the
 * templates in the package on PyPI that `images/kolla-builder/kolla-build.txt` pins.
 */
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {execa} from 'execa'

const ROOT = join(import.meta.dirname, '..')
const PINS = 'images/kolla-builder/kolla-build.txt'

interface Template {
  readonly parent: string | undefined
  readonly user: string | undefined
}

/** The templates below a directory, by the names of their images. */
async function readTemplates(directory: string): Promise<ReadonlyMap<string, Template>> {
  const paths = await readdir(directory, {recursive: true})
  const templates = paths
    .filter((path) => path.endsWith('/Dockerfile.j2'))
    .map(async (path) => {
      const text = await readFile(join(directory, path), 'utf8')
      const parent = /^FROM \{\{ namespace \}\}\/\{\{ image_prefix \}\}([a-z0-9-]+):/m.exec(text)?.[1]
      const user = [...text.matchAll(/^USER (\S+)$/gm)].at(-1)?.[1]
      return [dirname(path).split('/').at(-1)!, {parent, user}] as const
    })
  return new Map(await Promise.all(templates))
}

/** The user of an image: its own, or that of the image it is built on. */
function userOf(templates: ReadonlyMap<string, Template>, name: string): string {
  const {parent, user} = templates.get(name)!
  return user ?? (parent === undefined ? 'root' : userOf(templates, parent))
}

const [, version] = /^kolla==(\S+)/m.exec(await readFile(join(ROOT, PINS), 'utf8'))!
const work = await mkdtemp(join(tmpdir(), 'kk-kolla-'))
try {
  const packages = ['--quiet', '--no-deps', '--target', work, `kolla==${version}`]
  await execa('python3', ['-m', 'pip', 'install', ...packages])
  const templates = await readTemplates(join(work, 'share/kolla/docker'))
  const lines = [...templates.keys()].sort().map((name) => `${name} ${userOf(templates, name)}`)
  const head = `# Made by npm run kolla-images: the images of kolla ${version}, with their users.`
  await writeFile(join(ROOT, 'test/fixtures/kolla/images.txt'), `${[head, ...lines].join('\n')}\n`)
} finally {
  await rm(work, {recursive: true})
}
