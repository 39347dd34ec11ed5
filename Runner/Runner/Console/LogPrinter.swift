import FunctionKit
import Glibc

/// Shows log lines, as they are where a program reads them and readable where a person does, and keeps them in a file.
struct LogPrinter: Sendable {
  let isForPeople: Bool
  private let file: LogFile?

  init(isForPeople: Bool = isatty(STDERR_FILENO) == 1, file: LogFile? = nil) {
    self.isForPeople = isForPeople
    self.file = file
  }

  /// Writes a log's line.
  func print(_ line: [UInt8]) {
    print(line[...], from: "runner")
  }

  /// Writes a line of a function or a service; one that is no JSON object is shown as it is.
  func print(_ line: ArraySlice<UInt8>, from origin: String) {
    let text = line.last == 0x0A ? line.dropLast() : line
    let shown = isForPeople ? LogLine(text, program: origin).readable : String(decoding: text, as: UTF8.self)
    Console.write("\(shown)\n", to: STDERR_FILENO)
    file?.append(text, from: origin)
  }

  /// Waits until the file has every line.
  func finish() async { await file?.finish() }
}
