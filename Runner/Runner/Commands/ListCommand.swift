import FunctionKit

/// `runner list`: the functions and what triggers them.
struct ListCommand {
  private let project: Project
  private let json: Bool

  init(_ words: Words) throws {
    var words = words
    project = try Project(directory: words.value("--project"))
    json = words.flag("--json")
    try words.finish()
  }

  func run() throws -> Int32 {
    guard json else {
      var table = Table(["function", "mode", "triggers"])
      for entry in project.manifest.functions {
        table.add([entry.name, entry.mode.rawValue, entry.triggers.map(\.summary).joined(separator: "; ")])
      }
      return Console.say(table.text)
    }
    struct Line: Encodable {
      var name: String, mode: String, triggers: [String], key: String?, timeout: Int, attempts: Int, concurrency: Int
    }
    let lines = project.manifest.functions.map {
      Line(
        name: $0.name, mode: $0.mode.rawValue, triggers: $0.triggers.map(\.summary), key: $0.key, timeout: $0.timeout,
        attempts: $0.attempts, concurrency: $0.concurrency)
    }
    return Console.say(String(decoding: try JSONCoding.encode(lines).bytes, as: UTF8.self))
  }
}

extension Trigger {
  /// In a few words.
  var summary: String {
    switch self {
    case .table(let trigger):
      let columns = trigger.columns.isEmpty ? "" : " of \(trigger.columns.joined(separator: ", "))"
      return
        "\(trigger.operations.map { $0.rawValue.lowercased() }.joined(separator: "/"))\(columns) on \(trigger.table)"
    case .schedule(let trigger):
      return "\(trigger.expression.text) (\(trigger.timezone))"
    case .notify(let trigger):
      return "new \(trigger.table)"
    case .http(let trigger):
      return "http (\(trigger.auth.rawValue))"
    }
  }
}
