import {execa} from 'execa'
import {foreignEnvironment} from '../../state/processes/foreign-environment.ts'
import {startBuildah} from '../building/buildah.ts'

/** Returns the ids of the images in buildah's storage on this machine; none without buildah. */
export async function presentImages(): Promise<ReadonlySet<string>> {
  const args = ['images', '--json', '--no-trunc', '--all']
  const env = foreignEnvironment(process.env)
  const {failed, stdout} = await startBuildah(() =>
    execa('buildah', args, {env, extendEnv: false, reject: false, stdin: 'ignore'}),
  )
  if (failed) return new Set()
  const images = JSON.parse(stdout || '[]') as readonly {readonly id: string}[] | null
  return new Set((images ?? []).map(({id}) => id.replace(/^sha256:/, '')))
}
