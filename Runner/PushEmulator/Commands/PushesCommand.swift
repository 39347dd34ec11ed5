import CLI
import Formats
import FunctionKit
import Glibc
import HTTPClient
import Terminal

/// Shows the pushes on the phones.
struct PushesCommand {
  private static let follow = Flag("--follow", "go on with pushes that arrive, until Ctrl-C")
  private static let last = Option.number(
    "--last", "N", in: 1...PushHistory.defaultCapacity, "how many to begin with (20)")
  private static let token = Option.text(
    "--token", "TOKEN", "only of these devices; * and ? stand for any text and any character")
  private static let kind = Option.text("--kind", "KIND", "only of this kind")
  private static let apns = Option.number(
    "--apns", "SEQ", in: 1...Int.max, "print that push as a file for Xcode's simulator")
  private static let plain = Flag("--plain", "leave out the member that names the app")

  static let spec = CommandSpec(
    "pushes", "what the phones got",
    [Reply.option.saying("one JSON object a line"), follow, last, token, kind],
    [apns.required, plain, Reply.option],
    notes: """
      environment: PUSH_EMULATOR_URL, APNS_CA_PATH, which a runner that serves sets
      exit: 0 done, 64 bad usage, 75 the emulator does not answer, 78 misconfigured.
      """, run: { try await Self(arguments: $0).run() })

  private let arguments: CommandArguments
  private var asJSON: Bool { arguments[Reply.option] }

  /// Narrows the list down, as a query.
  private var filter: String {
    [Self.token, Self.kind].compactMap { option in
      arguments[option].map { "&\(option.name.dropFirst(2))=\(PercentEncoding.encoded($0))" }
    }.joined()
  }

  /// Prints the latest pushes and, if wanted, those that follow.
  private func run() async throws -> Int32 {
    let environment = Environment.current()
    guard let url = environment["PUSH_EMULATOR_URL"], let authority = environment["APNS_CA_PATH"] else {
      throw FunctionError(
        .misconfigured, "PUSH_EMULATOR_URL and APNS_CA_PATH are not set; start the runner first.")
    }
    let client = HTTPClient(
      trust: .certificateAuthority(path: authority), limits: HTTPLimits(total: .seconds(10), body: 64 << 20))
    if let file = arguments[Self.apns] { return try await printFile(file, url, client) }
    var since = try await page("\(url)/pushes?last=\(arguments[Self.last] ?? 20)\(filter)", from: client, isFirst: true)
    while arguments[Self.follow] {
      since = try await page("\(url)/pushes?since=\(since)&wait=30\(filter)", from: client, isFirst: false)
    }
    return 0
  }

  /// Prints a push as a file, and how to give it to the simulator.
  private func printFile(_ seq: Int, _ url: String, _ client: HTTPClient) async throws(FunctionError) -> Int32 {
    let file = try await ask("\(url)/pushes/\(seq).apns\(arguments[Self.plain] ? "?plain" : "")", client)
    if file.status == 404 { throw FunctionError(.usage, "There is no push \(seq) that a simulator could show.") }
    guard file.status == 200 else {
      let sentence = (try? RawJSON(validating: file.body[...]))?["error"]?.stringValue
      throw FunctionError(.unavailable, sentence ?? "The push emulator answered \(file.status).")
    }
    let push = try? RawJSON(validating: try await ask("\(url)/pushes/\(seq)", client).body[...])
    TerminalWriter.write(file.text.escapedInJSON, to: STDOUT_FILENO)
    let bundle = push.flatMap(PushRecord.init).flatMap(SimulatorFile.bundleID).map { " \($0)" } ?? ""
    // Advice, which is no part of the file.
    TerminalWriter.write("xcrun simctl push booted\(bundle) push-\(seq).apns\n", to: STDERR_FILENO)
    return 0
  }

  private func ask(_ url: String, _ client: HTTPClient) async throws(FunctionError) -> HTTPAnswer {
    do throws(HTTPClientError) {
      return try await client.send(HTTPCall(.get, url, timeout: .seconds(45)))
    } catch {
      throw FunctionError(.unavailable, "The push emulator does not answer (\(error)); is the runner running?")
    }
  }

  /// Prints one answer of the emulator; returns where the next begins.
  private func page(_ url: String, from client: HTTPClient, isFirst: Bool) async throws(FunctionError) -> Int {
    let answer = try await ask(url, client)
    guard answer.status == 200, let json = try? RawJSON(validating: answer.body[...]),
      let pushes = json["pushes"]?.elements, let next = json["next"]?.intValue
    else { throw FunctionError(.unavailable, "The push emulator gave no list of pushes, but status \(answer.status).") }
    show(pushes, isFirst: isFirst)
    return next
  }

  private func show(_ pushes: [RawJSON], isFirst: Bool) {
    let lines =
      asJSON
      ? pushes.map(\.printable)
      : PushTable().lines(pushes, withHeading: isFirst)
    for line in lines { TerminalWriter.say(line) }
    if pushes.isEmpty, isFirst, !asJSON { TerminalWriter.say("No pushes yet.") }
  }
}
