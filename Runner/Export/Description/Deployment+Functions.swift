import Cron
import Manifest

// What the exports say of functions.
extension Deployment {
  /// Functions that have a process: all but those that run elsewhere already.
  var processes: [FunctionEntry] { manifest.functions.filter { $0.target == nil && $0.mode != .discard } }

  /// Functions that can run on an engine of their own.
  ///
  /// A function with a `notify` trigger asks the runner to wake it again, so it stays with the runner.
  var movable: [FunctionEntry] { processes.filter { !$0.triggers.contains(where: \.isNotify) } }

  /// Functions that stay with the runner on every engine.
  var staying: [FunctionEntry] { processes.filter { $0.triggers.contains(where: \.isNotify) } }

  /// The names of the functions' own programs.
  var functionPrograms: [String] { processes.filter { $0.executable == nil }.map(\.name).sorted() }

  /// The names of the other programs: of the runner, of services and commands, each once.
  var otherPrograms: [String] {
    Set(["runner"] + manifest.services.map(\.name) + manifest.commands.map(\.executable))
      .subtracting(functionPrograms).sorted()
  }

  /// Files that functions bring along, relative to `functions.json`.
  var scripts: [String] { Set(processes.compactMap(\.executable)).filter { !$0.hasPrefix("/") }.sorted() }

  /// Folders of migrations, relative to `functions.json`.
  var migrations: [String] {
    manifest.migrations.map(\.path).compactMap { path in
      path.hasPrefix("\(manifest.directory)/") ? String(path.dropFirst(manifest.directory.count + 1)) : nil
    }
  }

  /// Variables without which something does not run; the key opens the gateway.
  var requiredVariables: [String] {
    let asked = manifest.functions.flatMap { function in
      function.environment.filter { !function.optional.contains($0) } + [function.http.secret].compactMap(\.self)
    }
    let offered = Set(manifest.functions.flatMap(\.settings.keys))
    return Set(asked + ["DATABASE_URL", Settings.keyVariable]).subtracting(offered).sorted()
  }

  /// Variables that functions do without.
  var optionalVariables: [String] {
    Set(manifest.functions.flatMap(\.optional)).subtracting(requiredVariables).sorted()
  }

  /// A line for each schedule, for a comment.
  var scheduleLines: [String] {
    manifest.functions.flatMap { function in
      function.schedules.map { schedule in
        "\(function.name): \(schedule.expression.text) (\(schedule.timezone)), after a pause: \(schedule.catchUp.rawValue), "
          + "while one runs: \(schedule.overlap.rawValue)"
      }
    }
  }
}

extension FunctionEntry {
  var schedules: [ScheduleTrigger] {
    triggers.compactMap { if case .schedule(let schedule) = $0 { schedule } else { nil } }
  }

  var hasRows: Bool { triggers.contains { if case .table = $0 { true } else { false } } }

  /// Whether callers reach it over HTTP by a trigger of its own.
  var isCalled: Bool { triggers.contains { if case .http = $0 { true } else { false } } }
}

extension [String] {
  /// One line each, behind a comment's mark.
  func commented(_ mark: String = "#") -> String { map { $0.isEmpty ? mark : "\(mark) \($0)" }.joined(separator: "\n") }

  func indented(by spaces: Int) -> String {
    map { $0.isEmpty ? "" : String(repeating: " ", count: spaces) + $0 }.joined(separator: "\n")
  }
}
