import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {command, succeeds} from '../host/command.ts'
import type {NodePaths} from '../paths.ts'
import {pauseImage} from '../pause-image.ts'
import {waitUntil} from '../wait.ts'
import {containerd} from './containerd.ts'
import {startPart} from './start-part.ts'

/** Starts containerd and gives it the image that every pod begins with; resolves with its process id. */
export async function startContainerd(
  paths: NodePaths,
  pause: string,
  signal?: AbortSignal,
): Promise<number> {
  const pid = await startPart(paths, 'containerd', containerd(paths))
  const ctr = ['ctr', '--address', paths.containerdSocket, '--namespace', 'k8s.io']
  const wait = {part: 'containerd', until: 'it answers', signal}
  await waitUntil(paths, wait, () => succeeds([...ctr, 'version']))

  const archive = join(paths.directory, 'pause.tar')
  await writeFile(archive, await pauseImage(pause))
  await command([...ctr, 'images', 'import', archive])
  return pid
}
