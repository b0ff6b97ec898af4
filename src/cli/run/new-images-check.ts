import type {Check} from '../../doctor/checks/checks.ts'
import {upgradeCheck} from '../../doctor/checks/upgrade/upgrade-checks.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {builtInFiles} from '../../state/assets.ts'
import type {Console} from '../console.ts'
import {abortable} from '../signals.ts'

/**
 * Returns the check that asks the new images of services whether they can replace the old ones. Ctrl-C
 * deletes its pods.
 */
export async function newImagesCheck(cluster: Cluster, console: Console): Promise<Check> {
  const options = {
    ...{cluster, files: await builtInFiles(process.env)},
    onProgress: (line: string) => console.say(console.palette('stderr').quiet(line)),
  }
  return {
    ...upgradeCheck(options),
    find: (change) =>
      abortable('the check of new images', async (signal) => upgradeCheck({...options, signal}).find(change)),
  }
}
