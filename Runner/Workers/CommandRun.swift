import EventLoop
import System

/// One run of a program that is no function: its whole output, and how it ended.
package struct CommandRun: Sendable {
  /// The exit status; `nil` if a signal or the time limit ended it, or it could not be started.
  package var status: Int32?
  package var output: [UInt8] = []
  /// The beginning of what it wrote on stderr.
  package var complaint = ""
  package var timedOut = false
  /// Whether it was started: one that was not has done nothing.
  package var isBegun = true

  /// The most that is kept of stdout, in bytes: a program that writes more is ended.
  static let mostOutput = 16 << 20
  static let mostComplaint = 65_536

  package init(status: Int32? = nil) {
    self.status = status
  }

  /// Runs the program to its end.
  ///
  /// The loop goes on meanwhile.
  /// - Parameters:
  ///   - input: what it reads on stdin, which is then closed.
  ///   - endsWithTask: whether a cancelled task ends it.
  @RunnerLoop
  package static func run(
    _ launch: Launch, input: [UInt8] = [], timeLimit: Duration, endsWithTask: Bool = false
  ) async -> CommandRun {
    let collected = Collected()
    return await withTaskCancellationHandler {
      await collect(collected, of: launch, input, timeLimit)
    } onCancel: {
      guard endsWithTask else { return }
      Task { @RunnerLoop in collected.process?.terminate() }
    }
  }

  @RunnerLoop
  private static func collect(
    _ collected: Collected, of launch: Launch, _ input: [UInt8], _ timeLimit: Duration
  ) async -> CommandRun {
    await withCheckedContinuation { done in
      do throws(SpawnError) {
        let process = try ChildProcess(Program(launch), input: input)
        collected.process = process
        let timer = RunnerLoop.loop.schedule(after: timeLimit) {
          collected.run.timedOut = true
          process.terminate()
        }
        process.watch(
          output: { bytes in
            guard collected.run.output.count + bytes.count <= mostOutput else { return process.terminate(grace: .zero) }
            collected.run.output += bytes
          },
          error: { bytes in
            let room = mostComplaint - collected.error.count
            collected.error += bytes.prefix(max(0, room))
          },
          exit: { exit in
            RunnerLoop.loop.cancel(timer)
            collected.process = nil
            if case .exited(let status) = exit, !collected.run.timedOut { collected.run.status = status }
            collected.run.complaint = String(decoding: collected.error, as: UTF8.self)
            done.resume(returning: collected.run)
          })
        process.watchOutputs()
      } catch {
        collected.run.complaint = "\(launch.executable) could not be started: \(error)."
        collected.run.isBegun = false
        done.resume(returning: collected.run)
      }
    }
  }

  @RunnerLoop
  private final class Collected {
    var run = CommandRun()
    var error: [UInt8] = []
    /// `nil` before its start and after its end.
    var process: ChildProcess?
  }
}
