import CLI
import FunctionKit
import Glibc
import Synchronization
import Terminal

/// Shows log lines, as they are where a program reads them and short where a person does, and keeps them in a file.
package struct LogPrinter: Sendable {
  package let isForPeople: Bool
  private let style: Style
  private let file: LogFile?
  private let hush = Hush()

  package init(isForPeople: Bool = isatty(STDERR_FILENO) == 1, file: LogFile? = nil) {
    self.isForPeople = isForPeople
    self.file = file
    style = isForPeople ? .current(STDERR_FILENO) : Style(isColourful: false)
  }

  /// Writes a log's line.
  package func print(_ line: [UInt8]) {
    print(line[...], from: "runner")
  }

  /// Writes a line of a function or a service; one that is no JSON object is shown as it is.
  package func print(_ line: ArraySlice<UInt8>, from origin: String) {
    let text = line.last == 0x0A ? line.dropLast() : line
    if isForPeople {
      show(LogLine(text, program: origin))
    } else {
      Console.write("\(String(decoding: text, as: UTF8.self))\n", to: STDERR_FILENO)
    }
    file?.append(text, from: origin)
  }

  /// Whether people see warnings and errors only, while something else has their terminal.
  package func keepQuiet(_ isQuiet: Bool) {
    hush.isOn.store(isQuiet, ordering: .relaxed)
  }

  /// Waits until the file has every line.
  package func finish() async { await file?.finish() }

  private func show(_ line: LogLine) {
    guard !line.isInfo || !hush.isOn.load(ordering: .relaxed) else { return }
    let width = TerminalWidth.current(of: STDERR_FILENO, columns: Environment.current()["COLUMNS"]) ?? 80
    Console.write("\(line.short(columns: width, style))\n", to: STDERR_FILENO)
  }

  private final class Hush: Sendable {
    let isOn = Atomic(false)
  }
}
