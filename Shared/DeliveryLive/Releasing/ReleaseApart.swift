import FoundationEssentials
import Postgres
import StoreLive
import Synchronization

/// The release of one person who is told of very many acts, on a connection of its own.
///
/// One statement counts them all, and may take seconds. Others' turns go on meanwhile. Where there is no other
/// connection, it has the run's own, and the turns wait.
struct ReleaseApart {
  /// How long the turns pause if they have nothing to do.
  static let pause = Duration.milliseconds(20)
  /// How long all of it may take: after all of a run's time it still ends within the function's own limit.
  static let longest = Duration.seconds(15)
  /// Why somebody is put aside who takes longer; the next run knows them by it.
  static let tookTooLong = "There are too many acts: even apart, the release took too long"
  let person: ReleaseRun.Person
  /// Whether it has the run's own connection.
  let sharesConnection: Bool
  private let task: Task<[Release], any Error>
  private let alarm: Task<Void, any Error>
  private let mark: Mark

  private final class Mark: Sendable {
    let isSet = Atomic(false)
  }

  /// - Parameter longest: it is stopped after this time.
  init(
    of person: ReleaseRun.Person, at now: Date, longest: Duration, _ connection: Connection, sharing: Bool
  ) {
    let own = sharing ? nil : connection.another(statementTimeout: longest, idleInTransactionTimeout: longest)
    let mark = Mark()
    let task = Task {
      let releases: Result<[Release], any Error>
      do {
        releases = .success(
          try await ReleaseRun.release([person.user], of: person.app, at: now, own ?? connection))
      } catch {
        releases = .failure(error)
      }
      await own?.close()
      mark.isSet.store(true, ordering: .releasing)
      return try releases.get()
    }
    alarm = Task {
      try await Task.sleep(for: longest)
      task.cancel()
    }
    (self.person, sharesConnection, self.task, self.mark) = (person, sharing, task, mark)
  }

  /// Whether it need not be waited for.
  var hasEnded: Bool { mark.isSet.load(ordering: .acquiring) }

  /// The releases of the process, when it has ended.
  func releases() async throws -> [Release] {
    defer { alarm.cancel() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Stops it, and waits for its end.
  func giveUp() async {
    alarm.cancel()
    task.cancel()
    _ = await task.result
  }
}
