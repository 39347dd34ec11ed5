import FunctionKit
import Glibc

/// Says why somebody was told of something, or was not: gate by gate, down to the provider's answer.
@main
struct PushExplain {
  // Explicitly concurrent, because an async entry point must not depend on its caller's isolation.
  @concurrent static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    guard !words.contains("--help"), !words.contains("-h") else { return write(Options.help(words.first)) }
    guard !words.contains("--version") else { return write("\(bundleVersion)\n") }
    do {
      write(try await answer(to: Options(words)))
    } catch {
      let error = FunctionError(error)
      write("push-explain: \(error.message)\n", to: STDERR_FILENO)
      exit(error.code.exitStatus)
    }
  }

  private static func answer(to options: Options) async throws -> String {
    let store = try ReportStore(.current())
    switch options.question {
    case .event(let id):
      let report = try await store.report(on: id, user: options.user)
      return try options.asJSON ? json(report) : report.text
    case .rehearsal(let function, let file):
      let now = try await store.now()
      let report = try await store.report(on: Rehearsal(of: function, file: file, at: now), user: options.user)
      return try options.asJSON ? json(report) : report.text
    case .person(let name, let since, let app):
      let report = try await store.report(onPerson: name, since: since, app: app)
      return try options.asJSON ? json(report) : report.text
    }
  }

  private static func json(_ report: some Encodable) throws -> String {
    String(decoding: try JSONCoding.encode(report).bytes, as: UTF8.self) + "\n"
  }

  private static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
  }
}
