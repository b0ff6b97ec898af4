import {KkError} from '../../errors.ts'
import {onPath} from '../../state/files/on-path.ts'

/** What images are built with: program → Debian's package. */
export const IMAGE_TOOLS = {buildah: 'buildah', mmdebstrap: 'mmdebstrap', crun: 'crun'} as const

/** Throws `KK_IMAGE_TOOLS` when this user or this machine cannot build images. */
export function expectTools(env: NodeJS.ProcessEnv, user: number | undefined = process.geteuid?.()): void {
  const missing = Object.entries(IMAGE_TOOLS).filter(([program]) => onPath(program, env.PATH) === undefined)
  if (missing.length > 0) {
    const programs = missing.map(([program]) => program).join(', ')
    const packages = missing.map(([, name]) => name).join(' ')
    throw new KkError('KK_IMAGE_TOOLS', `images are built by programs that PATH does not have: ${programs}`, {
      hint: `on Debian: apt-get install --no-install-recommends ${packages}`,
    })
  }
  if (user === 0) return
  throw new KkError(
    'KK_IMAGE_TOOLS',
    'images are built by root: root file systems have files of many owners',
    {
      hint: 'run the same command with sudo',
    },
  )
}
