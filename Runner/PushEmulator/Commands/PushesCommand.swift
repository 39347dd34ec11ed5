import Emulation
import FunctionKit
import Glibc
import HTTPClient

/// Shows what the phones got.
struct PushesCommand: Sendable {
  let options: PushesOptions
  let environment: Environment
  let output: Output
  /// Where advice is printed that is no part of the result.
  var advise: @Sendable (String) -> Void = { text in
    try? Files.write(Array(text.utf8), to: STDERR_FILENO, path: "stderr")
  }

  /// Prints the latest pushes, and those that follow when asked to.
  func run() async throws(EmulatorError) {
    guard let url = environment["PUSH_EMULATOR_URL"], let authority = environment["APNS_CA_PATH"] else {
      throw .configuration("PUSH_EMULATOR_URL and APNS_CA_PATH are not set; start the runner first.")
    }
    let client = HTTPClient(
      trust: .certificateAuthority(path: authority), limits: HTTPLimits(total: .seconds(10), body: 64 << 20))
    if let seq = options.file { return try await printFile(seq, url, client) }
    var since = try await page("\(url)/pushes?last=\(options.last)\(options.filter)", from: client, isFirst: true)
    while options.follow {
      since = try await page("\(url)/pushes?since=\(since)&wait=30\(options.filter)", from: client, isFirst: false)
    }
  }

  /// Prints a push as a file, and says how the simulator gets it.
  private func printFile(_ seq: Int, _ url: String, _ client: HTTPClient) async throws(EmulatorError) {
    let file = try await ask("\(url)/pushes/\(seq).apns\(options.isPlain ? "?plain" : "")", client)
    if file.status == 404 { throw .usage("There is no push \(seq) that a simulator could show.") }
    guard file.status == 200 else {
      let sentence = (try? RawJSON(validating: file.body[...]))?["error"]?.stringValue
      throw .unavailable(sentence ?? "The push emulator answered \(file.status).")
    }
    let push = try? RawJSON(validating: try await ask("\(url)/pushes/\(seq)", client).body[...])
    output.write(file.text)
    let bundle = push.flatMap(PushRecord.init).flatMap(SimulatorFile.bundleID).map { " \($0)" } ?? ""
    advise("xcrun simctl push booted\(bundle) push-\(seq).apns\n")
  }

  private func ask(_ url: String, _ client: HTTPClient) async throws(EmulatorError) -> HTTPAnswer {
    do throws(HTTPClientError) {
      return try await client.send(HTTPCall(.get, url, timeout: .seconds(45)))
    } catch {
      throw .unavailable("The push emulator does not answer (\(error)); is the runner running?")
    }
  }

  /// Prints one answer of the emulator; gives where the next begins.
  private func page(_ url: String, from client: HTTPClient, isFirst: Bool) async throws(EmulatorError) -> Int {
    let answer = try await ask(url, client)
    guard answer.status == 200, let json = try? RawJSON(validating: answer.body[...]),
      let pushes = json["pushes"]?.elements, let next = json["next"]?.intValue
    else { throw .unavailable("The push emulator gave no list of pushes, but status \(answer.status).") }
    show(pushes, isFirst: isFirst)
    return next
  }

  private func show(_ pushes: [RawJSON], isFirst: Bool) {
    let lines =
      options.json
      ? pushes.map { String(decoding: $0.bytes, as: UTF8.self) }
      : PushTable(width: output.width).lines(pushes, withHeading: isFirst)
    output.write(lines.map { "\($0)\n" }.joined())
    if pushes.isEmpty, isFirst, !options.json { output.write("No pushes yet.\n") }
  }
}
