import {execa} from 'execa'

/** The ids of the images that buildah has on this machine; none where there is no buildah. */
export async function presentImages(): Promise<ReadonlySet<string>> {
  const {failed, stdout} = await execa('buildah', ['images', '--json', '--no-trunc', '--all'], {
    reject: false,
    stdin: 'ignore',
  })
  if (failed) return new Set()
  const images = JSON.parse(stdout || '[]') as readonly {readonly id: string}[] | null
  return new Set((images ?? []).map(({id}) => id.replace(/^sha256:/, '')))
}
