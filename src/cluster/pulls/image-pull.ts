/** The images that pods of one kind will need, their namespace, and where and with which credentials the pods run. */
export interface ImagePull {
  readonly namespace: string
  /** The images, in the order in which they are needed. */
  readonly images: readonly {readonly image: string; readonly policy?: string}[]
  /** `nodeSelector`, `tolerations`, `imagePullSecrets` of the pods. */
  readonly placement: Readonly<Record<string, unknown>>
}

/** The progress of a pull. */
export interface PullProgress {
  /** The number of images, each counted once per node. */
  readonly wanted: number
  readonly pulled: number
}

/** A pull that has begun. */
export interface BegunPull {
  progress(): Promise<PullProgress>
  /** Deletes the pods that pulled; the images stay. */
  end(): Promise<void>
}

export interface ImagePulls {
  /** Returns whether the user may pull images ahead in a namespace. */
  may(namespace: string): Promise<boolean>
  /** Starts one pod on each node, whose containers need the images and run nothing. */
  begin(pull: ImagePull, nodes: number): Promise<BegunPull>
}
