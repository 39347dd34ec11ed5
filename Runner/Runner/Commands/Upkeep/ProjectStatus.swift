import CLI
import Documents
import FoundationEssentials
import FunctionKit
import Glibc
import Inspection
import Lifecycle
import LocalPostgres
import Manifest
import System
import Terminal

extension ProjectStatus {
  var isRunning: Bool { runner != nil }

  /// Looks at the processes; ``waiting``, ``overdue``, ``outages`` and ``paused`` are filled in elsewhere.
  init(_ project: Project) throws {
    self.init(project: project.directory)
    let layout = try ClusterLayout(project: project.directory)
    try layout.checkRunnerDirectory()
    let state = RunnerState.serving(project)
    if let process = ServingClaim.holder(project) {
      runner = Runner(process: Int(process), url: state?.url, since: ServingClaim.since(project))
      services = Self.services(of: process, project, state?.environment ?? [:])
    }
    let data = layout.data
    if access("\(data)/PG_VERSION", F_OK) == 0 {
      database = Database(
        process: Postmaster.running(in: data).map { Int($0.process) }, data: data, bytes: Folder.size(data))
    }
    left = Self.leftBehind()
  }

  /// The things that deleted checkouts have left.
  private static func leftBehind() -> [Left] {
    let runners = LeftRunner.all().map {
      Left(project: $0.project, processes: [Int($0.process)], data: nil, bytes: 0)
    }
    return runners
      + LeftCluster.all().map { cluster in
        Left(
          project: cluster.project, processes: cluster.server.map { [Int($0.process)] } ?? [], data: cluster.home,
          bytes: Folder.size(cluster.home))
      }
  }

  /// A service's own address is what it offers under its name: `PUSH_EMULATOR_URL` of `push-emulator`.
  private static func services(
    of runner: pid_t, _ project: Project, _ environment: [String: String]
  ) -> [Service] {
    let children = ProcessTable.descendants(of: runner).keys.sorted()
    return project.manifest.services.compactMap { entry in
      let program = project.executable(entry.name)
      guard let process = children.first(where: { ProcessTable.words(of: $0).first == program }) else { return nil }
      let variable = entry.name.uppercased().replacing("-", with: "_") + "_URL"
      return Service(name: entry.name, process: Int(process), url: environment[variable])
    }
  }
}

extension ProjectStatus {
  /// A line for each part.
  var text: String {
    let rows = [("runner", runnerText), ("PostgreSQL", databaseText)] + services.map { ($0.name, $0.text) } + counts
    let width = rows.map(\.0.columns).max() ?? 0
    return (rows.map { "\($0.padded(to: width + 2))\($1)" } + left.map(\.text)).joined(separator: "\n")
  }

  private var runnerText: String {
    guard let runner else { return "not serving \(project); Runner/up or runner serve starts it" }
    let since = runner.since.map { " for \(TimeText.length(Date.now.timeIntervalSince($0)))" } ?? ""
    return "\(runner.url.map { "serving at \($0)" } ?? "starting"), process \(runner.process)\(since)"
  }

  private var databaseText: String {
    guard let database else { return "no database of this project's own has been made" }
    let size = ByteText.of(database.bytes)
    return "\(database.process.map { "process \($0)" } ?? "not running"), \(size) in \(database.data)"
  }

  private var counts: [(String, String)] {
    let lines = waiting.map {
      let letters = "\($0.deadLetters) dead letter\($0.deadLetters == 1 ? "" : "s")"
      return [("waiting", "\($0.events) event\($0.events == 1 ? "" : "s"), \($0.retries) to be retried, \(letters)")]
    }
    return (lines ?? []) + (paused.isEmpty ? [] : [("paused", paused.joined(separator: ", "))])
      + overdue.map { ("overdue", $0.sentence) } + outages.map { ("outage", $0) }
      + (silence.map { [("database", $0)] } ?? [])
  }
}

extension ProjectStatus.Service {
  fileprivate var text: String { "process \(process)\(url.map { " at \($0)" } ?? "")" }
}

extension ProjectStatus.Left {
  fileprivate var text: String {
    let what = data.map { "a database of \(ByteText.of(bytes)), \($0)" } ?? "a runner"
    let running = processes.isEmpty ? "" : ", process \(processes.map(String.init).joined(separator: ", "))"
    let way = data == nil ? "runner down --left-behind" : "runner reset --left-behind"
    return "\(project) is gone and has left \(what)\(running): \(way)"
  }
}

/// Sizes as people read them.
enum ByteText {
  /// `512 bytes`, `51 MB`, `1.2 GB`.
  static func of(_ bytes: Int) -> String {
    switch bytes {
    case ..<10_000: "\(bytes) bytes"
    case ..<1_000_000: "\(bytes / 1_000) kB"
    case ..<1_000_000_000: "\(bytes / 1_000_000) MB"
    default: "\(bytes / 1_000_000_000).\(bytes / 100_000_000 % 10) GB"
    }
  }
}
