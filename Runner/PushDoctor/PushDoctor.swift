import FunctionKit
import Glibc
import Terminal

/// Checks everything that pushes need, a line each, and says what to do where something is missing.
@main
struct PushDoctor {
  // Explicitly concurrent, because an async entry point must not depend on its caller's isolation.
  @concurrent static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    guard !words.contains("--help"), !words.contains("-h") else { return write(help) }
    guard !words.contains("--version") else { return write("\(bundleVersion)\n") }
    do {
      let options = try Options(words)
      let findings = await Examination(.current(), options).findings()
      write(options.asJSON ? try json(findings) : text(findings))
      exit(findings.contains { $0.grade == .missing } ? FunctionError.Code.misconfigured.exitStatus : 0)
    } catch {
      let error = FunctionError(error)
      write("push-doctor: \(error.message)\n", to: STDERR_FILENO)
      exit(error.code.exitStatus)
    }
  }

  private static func json(_ findings: [Finding]) throws -> String {
    String(decoding: try JSONCoding.encode(findings).bytes, as: UTF8.self) + "\n"
  }

  private static func text(_ findings: [Finding]) -> String {
    let width = findings.map(\.check.count).max() ?? 0
    return findings.map { "\($0.grade.rawValue.padded(to: 9))\($0.check.padded(to: width + 2))\($0.line)\n" }.joined()
  }

  private static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
  }

  private static let help = """
    Check what pushes need: keys, service accounts, tables and rights, clocks, and
    with --live the way to the servers.

    usage: runner doctor push [--live [--production] [--validate-only]] [--json]

      --live          ask Apple's sandbox (or APNS_URL) without a credential, and
                      Google for an access token
      --production    ask Apple's production servers, too
      --validate-only ask FCM, too, whether it would take a message, which it does
                      not send
      --json          an array of {"check","ok","warning","detail"}

      --help, --version

    environment: what push-delivery gets.
    exit: 0 nothing is missing, 64 bad usage, 78 something is.

    """
}
