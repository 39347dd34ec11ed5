import FoundationEssentials
import Postgres
import StoreLive
import Synchronization

/// The release of one person who is told of very many acts, on a connection of its own.
///
/// One statement counts them all, and may take seconds. Others' turns go on meanwhile.
struct ReleaseApart {
  /// How long the turns pause if they have nothing to do.
  static let pause = Duration.milliseconds(20)
  /// The limit of a statement: after all of a run's time it still ends within the function's own limit.
  private static let longest = Duration.seconds(15)
  let person: ReleaseRun.Person
  private let task: Task<[Release], any Error>
  private let mark: Mark

  private final class Mark: Sendable {
    let isSet = Atomic(false)
  }

  init(of person: ReleaseRun.Person, at now: Date, _ connection: Connection) {
    let own = connection.another(statementTimeout: Self.longest, idleInTransactionTimeout: Self.longest)
    let mark = Mark()
    (self.person, self.mark) = (person, mark)
    task = Task {
      let releases: Result<[Release], any Error>
      do {
        releases = .success(try await ReleaseRun.release([person.user], of: person.app, at: now, own))
      } catch {
        releases = .failure(error)
      }
      await own.close()
      mark.isSet.store(true, ordering: .releasing)
      return try releases.get()
    }
  }

  /// Whether it need not be waited for.
  var hasEnded: Bool { mark.isSet.load(ordering: .acquiring) }

  /// What has become of it, when it has ended.
  func releases() async throws -> [Release] {
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Stops it, and waits for its end.
  func giveUp() async {
    task.cancel()
    _ = await task.result
  }
}
