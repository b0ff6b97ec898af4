/** Images that pods of one kind will need: which, where, and with whose credentials. */
export interface ImagePull {
  readonly namespace: string
  /** In the order in which they are needed. */
  readonly images: readonly {readonly image: string; readonly policy?: string}[]
  /** `nodeSelector`, `tolerations`, `imagePullSecrets` of the pods. */
  readonly placement: Readonly<Record<string, unknown>>
}

/** How far it is. */
export interface PullProgress {
  /** Images, each counted on each node. */
  readonly wanted: number
  readonly pulled: number
}

/** Pulls that have begun. */
export interface BegunPull {
  progress(): Promise<PullProgress>
  /** Takes away what pulled; the images stay. */
  end(): Promise<void>
}

export interface ImagePulls {
  /** Whether the user may pull images ahead in a namespace. */
  may(namespace: string): Promise<boolean>
  /** Starts one pod on each node, whose containers need the images and run nothing. */
  begin(pull: ImagePull, nodes: number): Promise<BegunPull>
}
