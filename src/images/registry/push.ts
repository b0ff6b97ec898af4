import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {runProgram} from '../building/buildah.ts'
import type {Image} from '../image.ts'
import type {Registry} from './registry.ts'

/** Pushes a built image; resolves with the digest of its manifest there. Throws `KK_IMAGE`. */
export async function pushImage(
  {repository, tag}: Image,
  id: string,
  {name, plain}: Registry,
  signal?: AbortSignal,
): Promise<string> {
  const work = await temporaryDirectory('kk-push-')
  try {
    const digestFile = join(work.path, 'digest')
    const verify = plain ? ['--tls-verify=false'] : []
    const to = `docker://${name}/${repository}:${tag}`
    await runProgram('buildah', ['push', '--quiet', ...verify, '--digestfile', digestFile, id, to], {signal})
    return (await readFile(digestFile, 'utf8')).trim()
  } finally {
    await work.remove()
  }
}
