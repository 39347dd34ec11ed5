package import FunctionKit
package import Manifest
package import Postgres
package import System

/// The database's figures of queue, schedules and outcomes.
///
/// They are read at most every five seconds, and less often if that takes long.
@RunnerLoop
package final class DatabaseFigures {
  static let age = Duration.seconds(5)
  /// A connection spends at most this fraction (1/20) of its time on figures.
  static let share = 20

  private let database: Connection
  private let functions: [String]
  private let views: [MetricsView]
  private let log: Log
  private var known: [MetricFamily] = []
  private var expires = ContinuousClock.now
  private var isReading = false
  private var waiting: [@RunnerLoop ([MetricFamily]) -> Void] = []
  private var complained: Set<String> = []

  /// - Parameter functions: those that have a sample even if no event waits for them.
  package init(database: Connection, functions: [String], views: [MetricsView], log: Log) {
    self.database = database
    self.functions = functions
    self.views = views
    self.log = log
  }

  /// Calls back with fresh figures, at once or after they have been read.
  func families(_ take: @escaping @RunnerLoop ([MetricFamily]) -> Void) {
    guard .now >= expires else { return take(known) }
    waiting.append(take)
    guard !isReading else { return }
    isReading = true
    BackgroundTask.start("reading figures of the database") { [self] in
      let began = ContinuousClock.now
      known = await read()
      expires = .now + max(Self.age, (.now - began) * Self.share)
      isReading = false
      let answered = waiting
      waiting = []
      answered.forEach { $0(known) }
    }
  }

  private func read() async -> [MetricFamily] {
    let up = MetricFamily(name: "push_runner_database_up", kind: .gauge, help: "Whether the database answered.")
    do {
      var families = try await QueueFigures(database.pipeline(QueueFigures.statements)).families(functions)
      for view in views { await read(view).map { families.append($0) } }
      return families + [up.with("1")]
    } catch {
      complain("the queue", "\(error)")
      return [up.with("0")]
    }
  }

  private func read(_ view: MetricsView) async -> MetricFamily? {
    do {
      return try view.family(await database.query(view.query))
    } catch {
      complain("\(view.table)", "\(error)")
      return nil
    }
  }

  /// Logs each problem once, because a scrape comes every few seconds.
  private func complain(_ subject: String, _ cause: String) {
    guard complained.insert(subject).inserted else { return }
    log.warning("Figures cannot be read", ["of": subject, "error.cause": cause])
  }
}

extension MetricFamily {
  fileprivate func with(_ value: String) -> MetricFamily {
    MetricFamily(name: name, kind: kind, help: help, samples: [Sample(value: value)])
  }
}
