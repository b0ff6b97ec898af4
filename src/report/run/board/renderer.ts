import {type ListrRenderer, ListrTaskEventType} from 'listr2'

/** What a `BoardRenderer` draws with; the board gives it through `rendererOptions`. */
export interface BoardDrawing {
  /** Draws one frame. */
  frame(): void
  /** The last frame: the terminal is given back. */
  last(): void
  /** Calls back at every frame's time, and whenever the terminal changes its size, until the returned function is called. */
  frames(callback: () => void): () => void
  /** The task at this place among the tasks has ended. */
  ended(place: number): void
}

const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'SKIPPED', 'CANCELLED'])

/**
 * Draws releases that run, not tasks in their order: listr2's own renderer shows 100 tasks as the last of those that
 * wait. `nonTTY`, because listr2 looks at standard output, and the board is on standard error.
 */
export class BoardRenderer implements ListrRenderer {
  static nonTTY = true
  static rendererOptions: {drawing: BoardDrawing}
  static rendererTaskOptions: Record<never, never>

  readonly #tasks: BoardTasks
  readonly #drawing: BoardDrawing
  #stop = () => {}

  constructor(tasks: BoardTasks, options: {drawing: BoardDrawing}) {
    this.#tasks = tasks
    this.#drawing = options.drawing
  }

  render(): void {
    for (const [place, task] of this.#tasks.entries()) {
      task.on(ListrTaskEventType.STATE, (state) => {
        if (ENDED.has(state)) this.#drawing.ended(place)
      })
    }
    this.#stop = this.#drawing.frames(() => this.#drawing.frame())
  }

  end(): void {
    this.#stop()
    this.#drawing.last()
  }
}

type BoardTasks = ConstructorParameters<typeof ListrRenderer>[0]
