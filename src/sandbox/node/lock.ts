import {withLock} from '../../state/lock.ts'
import type {NodePaths} from './paths.ts'

/** Acts while no other process starts or stops nodes; reports for which one it waits. */
export function withNodeLock<T>(
  {lock}: NodePaths,
  {
    onProgress,
    signal,
  }: {readonly onProgress: (line: string) => void; readonly signal?: AbortSignal | undefined},
  act: () => Promise<T>,
): Promise<T> {
  return withLock(lock, act, {
    ...(signal && {signal}),
    onWait: ({pid}) => onProgress(`process ${pid} is starting or stopping the node; waiting`),
  })
}
