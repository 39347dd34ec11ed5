import FoundationEssentials
import FunctionKit
import Glibc

/// Shows log lines: as they are where a program reads them, readable where a person does.
struct LogPrinter: Sendable {
  let isForPeople: Bool

  init(isForPeople: Bool = isatty(STDERR_FILENO) == 1) {
    self.isForPeople = isForPeople
  }

  /// Writes a log's line.
  func print(_ line: [UInt8]) {
    print(line[...], from: "runner")
  }

  /// Writes a line of a function or a service; one that is no JSON object is shown as it is.
  func print(_ line: ArraySlice<UInt8>, from origin: String) {
    let text = line.last == 0x0A ? line.dropLast() : line
    let shown = isForPeople ? readable(text, origin) : String(decoding: text, as: UTF8.self)
    Console.write("\(shown)\n", to: STDERR_FILENO)
  }

  private func readable(_ line: ArraySlice<UInt8>, _ origin: String) -> String {
    guard let document = try? RawJSON(validating: line), document.kind == .object else {
      return "\(clock(nil)) \(padded(origin, 17)) \(String(decoding: line, as: UTF8.self))"
    }
    var fields: [(String, String)] = document.members.map {
      ($0.name, $0.value.stringValue ?? String(decoding: $0.value.bytes, as: UTF8.self))
    }
    let take = { (name: String) -> String? in
      guard let index = fields.firstIndex(where: { $0.0 == name }) else { return nil }
      return fields.remove(at: index).1
    }
    let (time, level, message) = (take("time"), take("level") ?? "info", take("message") ?? "")
    let program = take("function") ?? origin
    let facts = fields.filter { !$0.1.isEmpty }.map { "\($0.0)=\($0.1)" }
    return (["\(clock(time)) \(padded(program, 17)) \(mark(level))\(message)"] + facts).joined(separator: "  ")
  }

  private func mark(_ level: String) -> String {
    level == "info" ? "" : "\(level): "
  }

  private func clock(_ time: String?) -> String {
    let text = time ?? RFC3339.string(.now)
    return String(text.dropFirst(11).prefix(8))
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
