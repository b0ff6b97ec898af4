import type {Change} from '../../doctor/checks/change.ts'
import type {Check} from '../../doctor/checks/checks.ts'
import {newImages} from '../../doctor/checks/upgrade/new-images.ts'
import {reportedStates} from '../../doctor/checks/upgrade/reported-states.ts'
import {certificates, nodeClocks} from '../../doctor/checks/upgrade/surroundings.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {builtInFiles} from '../../state/assets.ts'
import type {Console} from '../console.ts'
import {abortable} from '../signals.ts'

/**
 * Returns the checks before services get new images: clocks and certificates, what the services report, and
 * whether the images can replace the old ones. Ctrl-C ends them, and deletes their pods.
 */
export async function upgradeChecks(cluster: Cluster, console: Console): Promise<readonly Check[]> {
  const options = {
    ...{cluster, files: await builtInFiles(process.env)},
    onProgress: (line: string) => console.say(console.palette('stderr').quiet(line)),
  }
  const abortables = [reportedStates, newImages].map((check) => ({
    ...check(options),
    find: (change: Change) =>
      abortable('the check before the upgrade', async (signal) => check({...options, signal}).find(change)),
  }))
  return [nodeClocks, certificates, ...abortables]
}
