import {execa} from 'execa'
import {foreignEnvironment} from '../../state/processes/foreign-environment.ts'
import {startBuildah} from '../building/buildah.ts'

/** The ids of the images that buildah has on this machine; none where there is no buildah. */
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
