import Foundation
import Postgres
import TestSupport
import Testing

/// A runner with a console, and what a browser without JavaScript does with it.
struct ServedConsole {
  static let key = "a-key-of-sixteen-characters"
  static let manifest = """
    {"functions":{
      "good":{"executable":"good.sh","mode":"oneshot","triggers":[{"http":"key"}],"redact":["secret"]},
      "bad":{"executable":"bad.sh","mode":"oneshot","triggers":[{"http":"key"}]},
      "tick":{"executable":"good.sh","mode":"oneshot","triggers":[{"schedule":"0 3 * * *","timezone":"Europe/Berlin"}]}}}
    """
  static let scripts = [
    "good.sh": "cat >/dev/null; echo '{\"told\":[]}'",
    "bad.sh": "cat >/dev/null; [ -e mended ] && exit 0; echo '<b>no</b>' >&2; exit 65",
  ]

  let served: Served
  private let cookie: String?

  /// - Parameters:
  ///   - database: the URL of another database than a new one of the shared server.
  static func start(
    _ options: [String] = ["--console", "on"], environment: [String: String] = [:], database: String? = nil
  ) async throws -> ServedConsole {
    let runner = try await RunningRunner(manifest, scripts: scripts, environment: environment, database: database)
    return ServedConsole(served: try await runner.start(options: options))
  }

  init(served: Served, cookie: String? = nil) {
    (self.served, self.cookie) = (served, cookie)
  }

  /// The same, for somebody who has that cookie.
  func with(cookie: String) -> ServedConsole { ServedConsole(served: served, cookie: cookie) }

  /// The same, for somebody who has signed in.
  func signedIn() async throws -> ServedConsole {
    let field = try await post("/_/console/sign-in", [("key", Self.key)])["set-cookie"]
    return with(cookie: String(try #require(field).prefix { $0 != ";" }))
  }

  /// The same person at another runner.
  func sent(to other: ServedConsole) -> ServedConsole { ServedConsole(served: other.served, cookie: cookie) }

  var port: UInt16 {
    get throws { try #require(UInt16(served.url.split(separator: ":").last ?? "")) }
  }

  /// An answer, whose body is text.
  struct Answer {
    var status: Int
    var text: String
    var headers: [(name: String, value: String)]

    subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
    /// The token that its forms show.
    var token: String { (text.firstMatch(of: /name="token" value="([^"]*)"/)?.1).map(String.init) ?? "" }
  }

  func get(_ path: String, headers: [(name: String, value: String)] = []) async throws -> Answer {
    try await ask("GET", path, "", headers)
  }

  func head(_ path: String) async throws -> Answer { try await ask("HEAD", path, "", []) }

  /// Waits until a page has these words.
  func wait(for words: String, on path: String) async throws {
    let (deadline, pauses) = (ContinuousClock.now + .seconds(120), Pauses())
    var page = try await get(path)
    while !page.text.contains(words), .now < deadline {
      try await pauses.next()
      page = try await get(path)
    }
    #expect(page.status == 200 && page.text.contains(words), "\(path) has no “\(words)”: \(page.text)")
  }

  /// Sends a form.
  func post(
    _ path: String, _ form: [(String, String)], headers: [(name: String, value: String)] = []
  ) async throws -> Answer {
    let body = form.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
    let type = [(name: "Content-Type", value: "application/x-www-form-urlencoded")]
    return try await ask("POST", path, body, type + headers)
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  /// Follows no redirection: it is what a test looks at.
  private func ask(
    _ method: String, _ path: String, _ body: String, _ headers: [(name: String, value: String)]
  ) async throws -> Answer {
    let connection = try RawConnection(port: port)
    var head = "\(method) \(path) HTTP/1.1\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n"
    if !headers.contains(where: { $0.name == "Host" }) { head += "Host: 127.0.0.1:\(try port)\r\n" }
    for (name, value) in headers + (cookie.map { [("Cookie", $0)] } ?? []) { head += "\(name): \(value)\r\n" }
    connection.send("\(head)\r\n\(body)")
    let parts = try await connection.readToEnd().split(separator: "\r\n\r\n", maxSplits: 1)
    let lines = (parts.first ?? "").split(separator: "\r\n")
    let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }
    let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return Answer(status: try #require(status), text: parts.count > 1 ? String(parts[1]) : "", headers: fields)
  }

  /// The same project in another runner at the same address; `whileAway` is done while none serves.
  func restarted(
    _ options: [String] = ["--console", "on"], whileAway: () async throws -> Void = {}
  ) async throws -> ServedConsole {
    served.program.send(SIGTERM)
    _ = try await served.program.exit()
    try await whileAway()
    return ServedConsole(served: try await served.runner.start(port: port, options: options), cookie: cookie)
  }

  /// Makes a function fail for good this number of times, with ids.
  func fail(_ ids: String...) async throws {
    for id in ids {
      let answer = try await served.call(
        "bad", #"{"specversion":"1.0","id":"\#(id)","source":"/t","type":"t","data":{}}"#,
        headers: [("Content-Type", "application/cloudevents+json"), ("Prefer", "respond-async"), ("apikey", Self.key)])
      #expect(answer.status == 202)
    }
    let count = ids.count
    try await served.runner.wait(until: "(SELECT count(*) FROM runner.dead_letters) >= \(count)")
  }
}
