import {createHash} from 'node:crypto'
import {readFile} from 'node:fs/promises'
import {buffer} from 'node:stream/consumers'
import {pack} from 'tar-stream'

/** The image of the container that holds the namespaces of each pod. */
export const PAUSE_IMAGE = 'localhost/kk-pause:1'

/** Returns the image of `toolbox/node/cmd/pause` as a `docker save` archive. */
export async function pauseImage(binary: string): Promise<Buffer> {
  return imageArchive({name: PAUSE_IMAGE, files: {pause: await readFile(binary)}, entrypoint: ['/pause']})
}

interface Image {
  readonly name: string
  /** The programs, by path in the image. */
  readonly files: Readonly<Record<string, Buffer>>
  readonly entrypoint: readonly string[]
}

const ARCHITECTURES: Readonly<Record<string, string>> = {x64: 'amd64', arm64: 'arm64'}

/**
 * Returns an image with one layer of these files, as a `docker save` archive. Reproducible: equal files,
 * equal bytes.
 */
export async function imageArchive({name, files, entrypoint}: Image): Promise<Buffer> {
  const layer = await tar(files)
  const config = {
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    os: 'linux',
    config: {Entrypoint: entrypoint},
    rootfs: {type: 'layers', diff_ids: [`sha256:${createHash('sha256').update(layer).digest('hex')}`]},
  }
  const manifest = [{Config: 'config.json', RepoTags: [name], Layers: ['layer.tar']}]
  return tar({
    'layer.tar': layer,
    'config.json': Buffer.from(JSON.stringify(config)),
    'manifest.json': Buffer.from(JSON.stringify(manifest)),
  })
}

async function tar(files: Readonly<Record<string, Buffer>>): Promise<Buffer> {
  const archive = pack()
  for (const [name, content] of Object.entries(files))
    archive.entry({name, mode: 0o755, mtime: new Date(0)}, content)
  archive.finalize()
  return buffer(archive)
}
