import FunctionKit
import Postgres
import TestSupport
import Testing

/// Whatever others have named reaches a terminal as text: by every command, on a terminal and in a pipe.
@Suite(.heavy)
struct HostileTextTests {
  /// All that a terminal would obey, in a colour that is none of ours, and a line that looks like one of ours.
  private static let hostile: String = {
    let controls: [UInt32] = Array(0x01...0x1F) + Array(0x7F...0x9F)
    let marks: [UInt32] = [0x61C, 0x200E, 0x200F] + Array(0x2028...0x202E) + Array(0x2066...0x2069)
    let scalars = (controls + marks).compactMap { Unicode.Scalar($0) }
    return "evil" + String(String.UnicodeScalarView(scalars)) + "\u{1B}[35mx\nFORGED"
  }()

  /// Commands that would serve, end or play something, so that they get mistakes alone.
  private static let lasting: Set = ["serve", "host", "up", "down", "reset", "demo"]

  @Test func noCommandPassesItOn() async throws {
    let bundle = try await RunningBundle()
    let runner = bundle.runner
    let served = try await bundle.start().served
    try await happen(in: runner, served)
    try await bundle.settle()
    let event = RawJSON(object: [("data", RawJSON(object: [(Self.hostile, RawJSON(Self.hostile))]))])
    try runner.project.write(String(decoding: event.bytes, as: UTF8.self), to: "event.json")
    let lines = try await commandLines(runner)
    try #require(lines.count > 100)
    let script = lines.map { words in
      let name = words.joined(separator: " ").replacing(Self.hostile, with: "HOSTILE")
      let input = words.last == "event.json" ? "" : " </dev/null"
      return "echo '== \(name)'\n\(words.map(Self.quoted).joined(separator: " "))\(input)"
    }
    let path = "\(runner.project.path)/lines.sh"
    try runner.project.write("cd '\(runner.project.path)'\n\(script.joined(separator: "\n"))\n", to: "lines.sh")
    let environment = [
      "DATABASE_URL": runner.databaseURL, "PATH": "\(BuiltExecutables.directory):/usr/bin:/bin", "HOME": path,
    ]

    let piped = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "exec /bin/sh '\(path)' 2>&1"], environment: environment, timeout: .seconds(600))
    let shown = try await BuiltExecutables.onTerminal(
      columns: 200, "sh '\(path)'", environment: environment, timeout: .seconds(600))

    for (place, text) in [("in a pipe", piped.stdout), ("on a terminal", shown.text)] {
      let answers = text.split(separator: "== ")
      #expect(answers.count >= lines.count, "\(place)")
      #expect(text.contains("evil"), "\(place)")
      for answer in answers { Self.check(answer, place) }
    }
    for line in served.program.lines { Self.check(line[...], "in the runner's log") }
  }

  /// Expects that a text has only line feeds and our own colours.
  private static func check(_ text: Substring, _ place: String) {
    let bare = text.replacing(/\u{1B}\[(?:[012GK]|3[1236])m?/, with: "")
    let obeyed = bare.unicodeScalars.filter { $0 != "\n" && hostile.unicodeScalars.contains($0) && !$0.isPlain }
    #expect(obeyed.isEmpty, "\(place): \(text.prefix(300).debugDescription)")
    #expect(!bare.split(separator: "\n").contains { $0.hasPrefix("FORGED") }, "\(place): \(text.prefix(300))")
  }

  /// People and things get such names, and events such ids; one of them ends as a dead letter.
  private func happen(in runner: RunningRunner, _ served: Served) async throws {
    let database = runner.database
    _ = try await database.query("UPDATE users SET name = name || \(Self.hostile)")
    _ = try await database.query("UPDATE projects SET name = name || \(Self.hostile)")
    _ = try await database.query("UPDATE groups SET name = name || \(Self.hostile)")
    _ = try await database.query(
      """
      INSERT INTO feedbacks (title, category, user_id, user_email, project_id) VALUES
        ('Night' || \(Self.hostile), 'feature_request', 'sdk-grace', 'grace@example.com',
         'b0000000-0000-4000-8000-000000000001')
      """)
    _ = try await database.query(
      """
      INSERT INTO event_proposals (group_id, created_by, title, deadline) VALUES
        ('f0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000001', 'Picnic' || \(Self.hostile),
         now() + interval '3 days')
      """)
    for function in ["echo", "vote-cast"] {
      let event = RawJSON(object: [
        ("specversion", RawJSON("1.0")), ("id", RawJSON(function + Self.hostile)), ("source", RawJSON("/t")),
        ("type", RawJSON("t")), ("partitionkey", RawJSON(Self.hostile)),
        ("data", RawJSON(object: [("a", RawJSON(Self.hostile))])),
      ])
      let answer = try await served.call(
        function, String(decoding: event.bytes, as: UTF8.self),
        headers: [("Content-Type", "application/cloudevents+json"), ("Prefer", "respond-async")])
      #expect(answer.status == 202, "\(answer.text)")
    }
    try await runner.wait(
      until: """
        EXISTS (SELECT FROM runner.dead_letters WHERE function = 'vote-cast')
          AND EXISTS (SELECT FROM runner.history WHERE function = 'echo')
          AND EXISTS (SELECT FROM decisions WHERE function = 'feedback-created')
          AND EXISTS (SELECT FROM decisions WHERE function = 'proposal-created')
        """)
  }

  /// Each command and each of its verbs with each kind of words, and each function with a mistake.
  private func commandLines(_ runner: RunningRunner) async throws -> [[String]] {
    let manifest = try RawJSON(validating: Array(House.text("functions.json").utf8)[...])
    let functions = (manifest["functions"]?.members ?? []).map(\.name)
    let (dead, done) = ("vote-cast" + Self.hostile, "echo" + Self.hostile)
    let told: String = try await runner.database.query(
      "SELECT event_id FROM decisions WHERE function = 'feedback-created' LIMIT 1"
    ).only().decode("event_id")
    let mistakes = [[Self.hostile], ["--function", Self.hostile], ["--user", Self.hostile], [told, Self.hostile]]
    let words =
      [[], ["--json"], [dead], [dead, "--json"], [done], [done, "--json"], [told], [told, "--json"]]
      + ["ben@example.com", "Ben"].flatMap { [[$0], [$0, "--json"]] }
    var lines: [[String]] = []
    for command in try await completions(runner, []) {
      let verbs = try await completions(runner, [command]).filter { !functions.contains($0) }
      for start in [[command]] + verbs.map({ [command, $0] }) {
        let given = mistakes + (Self.lasting.contains(command) ? [] : words)
        lines += given.map { ["runner"] + start + $0 }
      }
    }
    lines.append(["runner", Self.hostile])
    lines += functions.map { [BuiltExecutables.path(of: $0), Self.hostile] }
    lines.append(["runner", "invoke", "echo", "--event", "event.json"])
    return lines
  }

  /// The words that the runner itself knows to come next on a command line, without options.
  private func completions(_ runner: RunningRunner, _ typed: [String]) async throws -> [String] {
    let words = (typed + [""]).map(Self.quoted).joined(separator: " ")
    let outcome = try await BuiltExecutables.run(
      "/bin/sh", ["-c", "cd '\(runner.project.path)' && runner completions arguments \(words)"],
      environment: ["PATH": "\(BuiltExecutables.directory):/usr/bin:/bin"])
    return outcome.stdout.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("-") }
  }

  private static func quoted(_ word: String) -> String { "'\(word)'" }
}

extension Unicode.Scalar {
  /// Whether it is one of the letters around those that a terminal would obey.
  fileprivate var isPlain: Bool { (0x20..<0x7F).contains(value) }
}
