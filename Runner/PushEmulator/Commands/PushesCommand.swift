import FunctionKit
import Glibc
import HTTPClient

/// Shows what the phones got.
struct PushesCommand: Sendable {
  let options: PushesOptions
  let environment: Environment
  let output: Output

  /// Prints the latest pushes, and those that follow when asked to.
  func run() async throws(EmulatorError) {
    guard let url = environment["PUSH_EMULATOR_URL"], let authority = environment["APNS_CA_PATH"] else {
      throw .configuration("PUSH_EMULATOR_URL and APNS_CA_PATH are not set; start the runner first.")
    }
    let client = HTTPClient(
      trust: .certificateAuthority(path: authority), limits: HTTPLimits(total: .seconds(10), body: 64 << 20))
    var since = try await page("\(url)/pushes?last=\(options.last)", from: client, isFirst: true)
    while options.follow {
      since = try await page("\(url)/pushes?since=\(since)&wait=30", from: client, isFirst: false)
    }
  }

  /// Prints one answer of the emulator; gives where the next begins.
  private func page(_ url: String, from client: HTTPClient, isFirst: Bool) async throws(EmulatorError) -> Int {
    let answer: HTTPAnswer
    do throws(HTTPClientError) {
      answer = try await client.send(HTTPCall(.get, url, timeout: .seconds(45)))
    } catch {
      throw .unavailable("The push emulator does not answer (\(error)); is the runner running?")
    }
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
