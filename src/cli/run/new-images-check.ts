import type {Check} from '../../doctor/checks/checks.ts'
import {upgradeCheck} from '../../doctor/checks/upgrade/upgrade-checks.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {builtInFiles} from '../../state/assets.ts'
import type {Console} from '../console.ts'

/** Returns the check that asks the new images of services whether they can replace the old ones. */
export async function newImagesCheck(cluster: Cluster, console: Console): Promise<Check> {
  return upgradeCheck({
    ...{cluster, files: await builtInFiles(process.env)},
    onProgress: (line) => console.say(console.palette('stderr').quiet(line)),
  })
}
