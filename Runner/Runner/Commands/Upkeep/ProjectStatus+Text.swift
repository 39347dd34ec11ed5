import CLI
import Documents
import FoundationEssentials
import FunctionKit
import Inspection
import Terminal

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
